/** Pictures for the demo: landscapes drawn from a seed, as SVG. The same seed gives the same picture. */

/** The parameters of a picture. Colours are CSS hex; positions are shares of the width or height, 0 to 1. */
export interface Scene {
  readonly seed: number;
  /** From the top of the sky to the horizon. */
  readonly sky: readonly [string, string, string];
  /** From the farthest ridge to the nearest. */
  readonly land: readonly string[];
  readonly sun: { readonly x: number; readonly y: number; readonly size: number; readonly colour: string };
  /** How rough the ridges are: 0.3 is dunes, 1 is peaks. */
  readonly rough: number;
  readonly stars?: number;
  /** Colour of a lake or sea at the bottom. */
  readonly water?: string;
  readonly trees?: boolean;
}

const WIDTH = 480;
const HEIGHT = 360;
const STEPS = 24;

type Dice = () => number;

/** Draws a scene, 4:3. Coordinates are whole numbers, which keeps a picture at about two kilobytes. */
export function landscape(scene: Scene): string {
  const dice = diceOf(scene.seed);
  const horizon = HEIGHT * 0.5;
  const ground = scene.water === undefined ? HEIGHT : HEIGHT * 0.74;
  const ridges = scene.land.map((colour, index) => {
    const depth = (index + 1) / scene.land.length;
    const base = horizon + (ground - horizon) * depth * 0.85;
    return ridge({ base, height: 105 * (1 - depth * 0.45) * scene.rough, floor: ground, colour, dice });
  });
  const [top, middle, low] = scene.sky;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    `<defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="${top}"/><stop offset=".45" stop-color="${middle}"/>`,
    `<stop offset=".75" stop-color="${low}"/></linearGradient><radialGradient id="g"><stop stop-color="${scene.sun.colour}"`,
    ` stop-opacity=".75"/><stop offset="1" stop-color="${scene.sun.colour}" stop-opacity="0"/></radialGradient></defs>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#s)"/>`,
    stars(scene.stars ?? 0, dice),
    light(scene),
    ...ridges,
    scene.water === undefined ? "" : water(scene, scene.water, ground, dice),
    scene.trees ? trees(scene.land.at(-1) ?? "#222", ground, dice) : "",
    "</svg>",
  ].join("");
}

function light({ sun }: Scene): string {
  const x = Math.round(sun.x * WIDTH);
  const y = Math.round(sun.y * HEIGHT);
  return (
    `<circle cx="${x}" cy="${y}" r="${sun.size * 5}" fill="url(#g)"/>` +
    `<circle cx="${x}" cy="${y}" r="${sun.size}" fill="${sun.colour}"/>`
  );
}

function stars(count: number, dice: Dice): string {
  const points = Array.from({ length: count }, () => {
    const x = Math.round(dice() * WIDTH);
    const y = Math.round(dice() ** 1.4 * HEIGHT * 0.55);
    return `M${x} ${y}h0`;
  });
  return count === 0
    ? ""
    : `<path d="${points.join("")}" stroke="#fff" stroke-width="2" stroke-linecap="round" opacity=".8"/>`;
}

interface Ridge {
  readonly base: number;
  readonly height: number;
  readonly floor: number;
  readonly colour: string;
  readonly dice: Dice;
}

/**
 * A line of mountains, by midpoint displacement: each round halves the stretches and moves the new points by a smaller
 * random amount.
 */
function ridge({ base, height, floor, colour, dice }: Ridge): string {
  let line = [dice() - 0.4, dice() * 0.9, dice() - 0.4];
  for (let amount = 0.55; line.length < STEPS; amount *= 0.55) {
    line = line.flatMap((value, index) => {
      const next = line[index + 1];
      return next === undefined ? [value] : [value, (value + next) / 2 + (dice() - 0.5) * amount];
    });
  }
  const points = line.map((value, index) => {
    const x = Math.round((index / (line.length - 1)) * WIDTH);
    return `${x} ${Math.round(base - value * height)}`;
  });
  return `<path d="M0 ${Math.ceil(floor)}L${points.join(" ")} ${WIDTH} ${Math.ceil(floor)}z" fill="${colour}"/>`;
}

function water(scene: Scene, colour: string, top: number, dice: Dice): string {
  const shore = Math.floor(top);
  const centre = scene.sun.x * WIDTH;
  const glints = Array.from({ length: 14 }, (_, index) => {
    const y = shore + 8 + index * 6;
    const length = 12 + dice() * (18 + index * 5);
    return `M${Math.round(centre - length / 2 + (dice() - 0.5) * 26)} ${y}h${Math.round(length)}`;
  });
  return (
    `<path d="M0 ${shore}h${WIDTH}V${HEIGHT}H0z" fill="${colour}"/>` +
    `<path d="${glints.join("")}" stroke="${scene.sun.colour}" stroke-width="2" stroke-linecap="round" opacity=".55"/>`
  );
}

function trees(colour: string, ground: number, dice: Dice): string {
  const firs = Array.from({ length: 15 }, (_, index) => {
    const x = Math.round((index + dice() * 0.9) * (WIDTH / 14));
    const height = Math.round(34 + dice() * 58);
    const half = Math.round(height * 0.2);
    const foot = Math.round(Math.min(ground + 6, HEIGHT + 4));
    return `M${x - half} ${foot}l${half} ${-height}l${half} ${height}z`;
  });
  return `<path d="${firs.join("")}" fill="${colour}"/>`;
}

/** A small generator that gives the same numbers for the same seed. Pictures don't need better randomness. */
function diceOf(seed: number): Dice {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
