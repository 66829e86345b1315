/** The contrast ratio of two colours (WCAG 2.2, "contrast ratio"). */

/** Red, green, blue, 0–255. */
export type Rgb = readonly [number, number, number];

/** Returns 1 (same colour) to 21 (black on white). */
export function contrast(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Mixes two colours: `share` of the first, the rest of the second. */
export function mixed(one: Rgb, other: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2) => one[at] * share + other[at] * (1 - share);
  return [part(0), part(1), part(2)];
}
