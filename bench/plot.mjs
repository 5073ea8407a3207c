// Draws how figures grow with the number of issuers, as SVG: both axes are logarithmic, because a thing that grows with the
// registry is then a rising line, and a thing that does not is a level one. The same figures give the same bytes.

const WIDTH = 720;
const HEIGHT = 400;
const AREA = { left: 70, right: 440, top: 50, bottom: 350 };
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00'];
const DASHES = ['', '6 3', '2 3', '8 3 2 3', '', '6 3'];

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
/** Two decimals: what is closer than that cannot be seen, and may differ between machines. */
const at = (value) => String(Number(value.toFixed(2)));
const decade = (value, round) => round(Number(Math.log10(value).toFixed(9)));

/** An axis from the power of ten below the smallest value to the one above the largest value. */
function axis(values, start, end) {
  const first = decade(Math.min(...values), Math.floor);
  const last = Math.max(decade(Math.max(...values), Math.ceil), first + 1);
  return {
    place: (value) => start + ((Math.log10(value) - first) / (last - first)) * (end - start),
    powers: Array.from({ length: last - first + 1 }, (_one, index) => 10 ** (first + index)),
  };
}

/**
 * Draws lines against the number of issuers. A value of 0 has no place on a logarithmic axis, and is left out.
 *
 * @param series - names and points, [issuers, value]
 * @param unit - returns the text of a value, such as `10 ms`
 */
export function growthPlot({ title, unit, series }) {
  const lines = series.map(({ name, points }) => ({ name, points: points.filter(([, value]) => value > 0) }));
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) throw new Error(`there is nothing to draw: ${title}`);
  const across = axis(
    points.map(([issuers]) => issuers),
    AREA.left,
    AREA.right,
  );
  const up = axis(
    points.map(([, value]) => value),
    AREA.bottom,
    AREA.top,
  );
  const parts = [
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${AREA.left}" y="26" font-size="16" font-weight="600">${escaped(title)}</text>`,
    ...up.powers.flatMap((value) => {
      const y = at(up.place(value));
      return [
        `<path d="M${AREA.left} ${y}H${AREA.right}" stroke="#ddd"/>`,
        `<text x="${AREA.left - 8}" y="${y}" dy="4" text-anchor="end">${escaped(unit(value))}</text>`,
      ];
    }),
    ...across.powers.flatMap((value) => {
      const x = at(across.place(value));
      return [
        `<path d="M${x} ${AREA.top}V${AREA.bottom}" stroke="#ddd"/>`,
        `<text x="${x}" y="${AREA.bottom + 20}" text-anchor="middle">${value.toLocaleString('en-US')}</text>`,
      ];
    }),
    `<text x="${(AREA.left + AREA.right) / 2}" y="${AREA.bottom + 40}" text-anchor="middle">issuers</text>`,
    ...lines.flatMap((line, index) => drawn(line, index, { across, up })),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12" role="img" aria-label="${escaped(title)}">
${parts.join('\n')}
</svg>
`;
}

/** A line with its points, and its name with a piece of the line. */
function drawn({ name, points }, index, { across, up }) {
  const colour = COLOURS[index % COLOURS.length];
  const stroke = `stroke="${colour}" stroke-width="2" fill="none" stroke-dasharray="${DASHES[index % DASHES.length]}"`;
  const places = points.map(([issuers, value]) => [at(across.place(issuers)), at(up.place(value))]);
  const y = AREA.top + 10 + index * 22;
  return [
    ...(places.length > 1
      ? [`<path d="M${places.map((place) => place.join(' ')).join('L')}" ${stroke}/>`]
      : []),
    ...places.map(([x, level]) => `<circle cx="${x}" cy="${level}" r="3" fill="${colour}"/>`),
    `<path d="M${AREA.right + 20} ${y}h28" ${stroke}/>`,
    `<text x="${AREA.right + 56}" y="${y}" dy="4">${escaped(name)}</text>`,
  ];
}
