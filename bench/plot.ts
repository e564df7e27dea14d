/** A line of a plot. */
export interface Series {
  name: string;
  points: { x: number; y: number }[];
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [900, 420, 60, 280, 40, 40];
const COLORS = ['#4269d0', '#efb118', '#ff725c', '#6cc5b0', '#a463f2', '#97bbf5', '#9c6b4e', '#3ca951'];

const text = (x: number, y: number, words: string, more = '') => `<text x="${x}" y="${y}" ${more}>${words}</text>`;

/** An SVG of lines over sizes in powers of ten. */
export function plot(title: string, lines: Series[]): string {
  const all = lines.flatMap(({ points }) => points);
  const [low, high] = [Math.min(...all.map(({ x }) => Math.log10(x))), Math.max(...all.map(({ x }) => Math.log10(x)))];
  const top = Math.max(...all.map(({ y }) => y)) * 1.1;
  const across = (x: number) => Math.round(LEFT + ((Math.log10(x) - low) / (high - low)) * (WIDTH - LEFT - RIGHT));
  const up = (y: number) => Math.round(HEIGHT - BOTTOM - (y / top) * (HEIGHT - TOP - BOTTOM));
  const decades = Array.from({ length: Math.floor(high) - Math.ceil(low) + 1 }, (_, n) => 10 ** (Math.ceil(low) + n));
  const steps = [0, 0.25, 0.5, 0.75, 1].map((share) => share * top);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="white"/>',
    text(LEFT, 20, title, 'font-weight="bold"'),
    ...decades.map((x) => text(across(x), HEIGHT - 15, x.toLocaleString('en'), 'text-anchor="middle"')),
    ...steps.flatMap((y) => [
      `<path d="M${LEFT} ${up(y)}H${WIDTH - RIGHT}" stroke="#ddd"/>`,
      text(LEFT - 8, up(y) + 4, y.toFixed(2), 'text-anchor="end"'),
    ]),
    ...lines.flatMap(({ name, points }, index) => {
      const color = COLORS[index % COLORS.length];
      const places = points.map(({ x, y }) => `${across(x)} ${up(y)}`);
      return [
        `<path d="M${places.join('L')}" fill="none" stroke="${color}" stroke-width="2"/>`,
        ...points.map(({ x, y }) => `<circle cx="${across(x)}" cy="${up(y)}" r="3" fill="${color}"/>`),
        text(WIDTH - RIGHT + 20, TOP + 20 * index, name, `fill="${color}"`),
      ];
    }),
    '</svg>\n',
  ].join('\n');
}
