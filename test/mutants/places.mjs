// Finds the places in compiled JavaScript that can be mutated, and draws some of them at random.

import { parseAst } from 'vite';

const BOUNDARY = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const EQUALITY = { '===': '!==', '!==': '===', '==': '!=', '!=': '==' };
const LOGICAL = { '&&': '||', '||': '&&' };

/** Larger numbers are mostly constants of a format. */
const MAX_NUMBER = 65_536;

/**
 * Returns all places of a file. `edit(id)` replaces the characters from `start` to `end`. While the mutant is active,
 * `mutated` replaces `original`, which begins at `from`.
 */
export function findPlaces(file, text) {
  const places = [];
  const source = ({ start, end }) => text.slice(start, end);
  const add = (operator, node, details) =>
    places.push({
      file,
      operator,
      start: node.start,
      end: node.end,
      from: node.start,
      original: source(node),
      ...details,
    });
  const replace = (operator, node, mutated) =>
    add(operator, node, { mutated, edit: (id) => `($mutant(${id}) ? ${mutated} : (${source(node)}))` });

  const unless = (test) => (id) => `(${source(test)}) && !$mutant(${id})`;
  /** The mutant counts as reached only if it changes the value of the condition. */
  const force = (value, test) =>
    add(`condition ${value}`, test, {
      mutated: `${value}`,
      edit: value ? (id) => `(${source(test)}) || $mutant(${id})` : unless(test),
    });

  const finders = {
    BinaryExpression(node) {
      const { operator } = node;
      if (operator in BOUNDARY) replace('boundary', node, withOperator(text, node, BOUNDARY));
      if (operator in EQUALITY) replace('equality', node, withOperator(text, node, EQUALITY));
    },
    LogicalExpression(node) {
      const { operator, right } = node;
      if (operator !== '??') replace('logical', node, `(${withOperator(text, node, LOGICAL)})`);
      else if (source(right) !== 'undefined')
        add('nullish', right, {
          from: node.start,
          original: source(node),
          mutated: `${text.slice(node.start, right.start)}undefined`,
          edit: (id) => `($mutant(${id}) ? undefined : (${source(right)}))`,
        });
    },
    UnaryExpression(node) {
      if (node.operator === '!') replace('negation', node, text.slice(node.start + 1, node.end));
    },
    Literal(node) {
      const { value, regex } = node;
      if (typeof value === 'boolean') replace('boolean', node, `${!value}`);
      else if (Number.isInteger(value) && value <= MAX_NUMBER) replace('number', node, `${value + 1}`);
      else if (regex !== undefined)
        for (const pattern of withoutAnchor(regex.pattern))
          replace('anchor', node, `/${pattern}/${regex.flags}`);
    },
    IfStatement(node) {
      const { test, consequent, alternate } = node;
      force(true, test);
      if (alternate !== null || !leaves(consequent)) force(false, test);
      else {
        const mutated = `${text.slice(node.start, consequent.start)}{}`;
        add('guard', test, { from: node.start, original: source(node), mutated, edit: unless(test) });
      }
    },
    ConditionalExpression({ test }) {
      force(true, test);
      force(false, test);
    },
    ExpressionStatement(node) {
      let { expression } = node;
      if (expression.type === 'AwaitExpression') expression = expression.argument;
      if (expression.type === 'ChainExpression') expression = expression.expression;
      if (expression.type === 'CallExpression' && expression.callee.type !== 'Super')
        add('call', node, { mutated: '', edit: (id) => `{ if (!$mutant(${id})) { ${source(node)} } }` });
    },
  };
  finders.WhileStatement =
    finders.ForStatement =
    finders.DoWhileStatement =
      ({ test }) => {
        if (test && test.type !== 'Literal') force(false, test);
      };
  visit(parseAst(text), (node) => finders[node.type]?.(node));
  return places;
}

/** Calls a function for each node, except in messages: template literals and what is thrown. */
function visit(node, found) {
  if (node.type === 'TemplateLiteral' || node.type === 'ThrowStatement') return;
  found(node);
  for (const [name, value] of Object.entries(node)) {
    if (name === 'key' && !node.computed) continue;
    for (const child of Array.isArray(value) ? value : [value])
      if (child?.type !== undefined) visit(child, found);
  }
}

/** Returns the text of a node with another operator. Parentheses keep the order if the precedence changes. */
function withOperator(text, { start, end, left, right, operator }, others) {
  const at = left.end + text.slice(left.end, right.start).indexOf(operator);
  const [before, after] = [text.slice(start, at).trim(), text.slice(at + operator.length, end).trim()];
  const grouped = (node, code) => (node.type === 'LogicalExpression' ? `(${code})` : code);
  return `${grouped(left, before)} ${others[operator]} ${grouped(right, after)}`;
}

function withoutAnchor(pattern) {
  const patterns = [];
  if (pattern.length > 1 && pattern.startsWith('^')) patterns.push(pattern.slice(1));
  if (pattern.length > 1 && /(?<!\\)(?:\\\\)*\$$/.test(pattern)) patterns.push(pattern.slice(0, -1));
  return patterns;
}

/** Whether a statement ends with `throw` or `return`. */
function leaves(statement) {
  const last = statement.type === 'BlockStatement' ? statement.body.at(-1) : statement;
  return last?.type === 'ThrowStatement' || last?.type === 'ReturnStatement';
}

/** Draws places that don't overlap. A larger count with the same seed begins with the same places. */
export function drawPlaces(places, seed, count) {
  const random = createRandom(seed);
  const left = [...places];
  const drawn = [];
  while (left.length > 0 && drawn.length < count) {
    const index = Math.floor(random() * left.length);
    const place = left[index];
    left[index] = left.at(-1);
    left.pop();
    const overlaps = ({ file, start, end }) => file === place.file && start < place.end && place.start < end;
    if (!drawn.some(overlaps)) drawn.push({ id: drawn.length, ...place });
  }
  return drawn;
}

/** The generator mulberry32. Returns a function that returns numbers from 0 to 1. */
function createRandom(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
