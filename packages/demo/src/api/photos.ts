/** The photos that the demo's API keeps, one album for each owner, in memory: a restart brings deleted ones back. */

import { landscape, type Scene } from "./landscape.ts";

/** One photo on the wire. `image` is a `data:` URL of an SVG. */
export interface Photo {
  readonly id: string;
  readonly title: string;
  readonly place: string;
  readonly image: string;
}

/** An owner's album; owners are told apart by the token's `sub`. */
export interface Album {
  list(sub: string): readonly Photo[];
  /** False: there is no such photo (any more). */
  remove(sub: string, id: string): boolean;
}

interface Described extends Scene {
  readonly title: string;
  readonly place: string;
}

const SHOTS: readonly Described[] = [
  {
    title: "First light",
    place: "Reine",
    seed: 11,
    sky: ["#41517f", "#d98a86", "#ffd7a1"],
    land: ["#8c7396", "#5c5480", "#33375c"],
    sun: { x: 0.66, y: 0.44, size: 22, colour: "#fff1c9" },
    rough: 1,
    water: "#5b5f8c",
  },
  {
    title: "Low tide",
    place: "Haukland",
    seed: 7,
    sky: ["#6fb7d6", "#bfe3e6", "#fdf3dc"],
    land: ["#8fb3b5", "#5e8d8f", "#3c6a69"],
    sun: { x: 0.24, y: 0.2, size: 18, colour: "#fffbe8" },
    rough: 0.75,
    water: "#79bcc4",
  },
  {
    title: "The long way home",
    place: "Gimsøya",
    seed: 23,
    sky: ["#e8845c", "#f6b26b", "#fde3a7"],
    land: ["#c9744f", "#97503f", "#5f3338"],
    sun: { x: 0.5, y: 0.47, size: 34, colour: "#fff0b8" },
    rough: 0.6,
  },
  {
    title: "Spruce",
    place: "Rago",
    seed: 31,
    sky: ["#a9c4bd", "#d5e2d6", "#f2efe0"],
    land: ["#9db8a9", "#6d9280", "#3f6a58", "#1f4439"],
    sun: { x: 0.78, y: 0.22, size: 20, colour: "#fffdf0" },
    rough: 0.8,
    trees: true,
  },
  {
    title: "Eleven at night",
    place: "Eggum",
    seed: 5,
    sky: ["#3a2f63", "#a4517c", "#f7936f"],
    land: ["#6a3b6b", "#432a55", "#231a3a"],
    sun: { x: 0.36, y: 0.49, size: 26, colour: "#ffc98a" },
    rough: 0.85,
    water: "#5a3464",
  },
  {
    title: "Snow in May",
    place: "Vågakallen",
    seed: 17,
    sky: ["#7fa6d6", "#c7dbf0", "#f3f6fa"],
    land: ["#dfe8f3", "#b7c9df", "#7d96b8"],
    sun: { x: 0.82, y: 0.18, size: 16, colour: "#ffffff" },
    rough: 1.15,
  },
  {
    title: "Nobody about",
    place: "Kvalvika",
    seed: 41,
    sky: ["#f0b7a1", "#f8d9bd", "#fdf1dd"],
    land: ["#e6b893", "#d39a76", "#b3765a"],
    sun: { x: 0.3, y: 0.28, size: 24, colour: "#fff8e6" },
    rough: 0.35,
  },
  {
    title: "Camp two",
    place: "Trollfjord",
    seed: 13,
    sky: ["#0d1533", "#23305c", "#4a5484"],
    land: ["#2c3866", "#1c2549", "#0f152e"],
    sun: { x: 0.72, y: 0.2, size: 15, colour: "#f4f1da" },
    rough: 1,
    stars: 60,
    water: "#1a2448",
    trees: true,
  },
  {
    title: "After the rain",
    place: "Unstad",
    seed: 29,
    sky: ["#4d7c7a", "#9fc2a6", "#f4e3b2"],
    land: ["#6f9a7f", "#47755f", "#294f45"],
    sun: { x: 0.56, y: 0.36, size: 20, colour: "#fff6cf" },
    rough: 0.9,
    water: "#6b9a8d",
  },
];

/** Maximum number of owners. Above it, the album of the owner that was not used for longest starts again. */
const OWNERS = 1000;

export function createAlbum(): Album {
  const photos = SHOTS.map(({ title, place, ...scene }, index): Photo => {
    const image = `data:image/svg+xml,${encodeURIComponent(landscape(scene))}`;
    return { id: String(index + 1), title, place, image };
  });
  const removed = new Map<string, Set<string>>();
  const list = (sub: string) => photos.filter(({ id }) => removed.get(sub)?.has(id) !== true);
  return {
    list,
    remove(sub, id) {
      if (!list(sub).some((photo) => photo.id === id)) return false;
      const gone = removed.get(sub) ?? new Set();
      removed.delete(sub);
      removed.set(sub, gone.add(id));
      const [oldest] = removed.keys();
      if (removed.size > OWNERS && oldest !== undefined) removed.delete(oldest);
      return true;
    },
  };
}
