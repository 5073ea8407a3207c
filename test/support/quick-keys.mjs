// A process that is started with this module derives keys from passphrases as the tests do: with one iteration.

const { deriveBits } = SubtleCrypto.prototype;
SubtleCrypto.prototype.deriveBits = function (algorithm, key, length) {
  return deriveBits.call(
    this,
    'iterations' in algorithm ? { ...algorithm, iterations: 1 } : algorithm,
    key,
    length,
  );
};
