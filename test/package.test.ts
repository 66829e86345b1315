import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { installedPackages, manifestOf } from "./support/published-packages.ts";
import { machineTraces } from "./support/tidy-rules.ts";

const root = join(import.meta.dirname, "..");
const own = mkdtempSync(join(tmpdir(), "assent-package-"));
const folder = await installedPackages(own);
const modules = join(folder, "app", "node_modules");
const launcher = join(modules, "assent", "bin", "assent.js");
const env = {
  ...{ PATH: process.env["PATH"], HOME: own, ASSENT_DATA_DIR: join(own, "data"), ASSENT_LOG_LEVEL: "warn" },
  ...{ ASSENT_LISTEN: "127.0.0.1:0", ASSENT_DEMO_PORTS: "0,0" },
};

afterAll(() => rmSync(own, { recursive: true, force: true }));

function assent(...args: readonly string[]): string {
  return execFileSync(process.execPath, [launcher, ...args], { cwd: join(folder, "app"), env, encoding: "utf8" });
}

async function stop(child: ChildProcess): Promise<number | null> {
  child.kill("SIGTERM");
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

describe("what is published, installed into an empty folder", () => {
  test("no sources, no tests; the server's modules are few files", () => {
    const files = (name: string) => readdirSync(join(modules, name), { recursive: true, encoding: "utf8" });
    const all = ["assent", "@assent/server", "@assent/resource-server"].flatMap(files);
    expect(
      all.filter((file) => /(?:^|\/)(?:src|test)(?:\/|$)|(?<!\.d)\.ts$/.test(file) && !file.includes("types/")),
    ).toEqual([]);
    // Each part that is loaded on demand is a file of its own. So is what two of them share: a company's connections, the
    // limits of mail, the texts of scopes, what a grant without a page changes, whether somebody has a password.
    expect(files("@assent/server").filter((file) => /^dist\/[^/]+\.js$/.test(file)).length).toBeLessThanOrEqual(189);
    expect(all).toContain("LICENSE");
  });

  test.each([
    ["server", "@assent/server"],
    ["resource-server", "@assent/resource-server"],
    ["cli", "assent"],
  ])(
    "IN-14 the SBOM of %s → every file with its hash, every dependency with its version, nothing of this machine",
    (sbom, name) => {
      const text = readFileSync(join(folder, "build", `${sbom}.cdx.json`), "utf8");
      const { metadata, components, dependencies } = JSON.parse(text) as {
        readonly metadata: {
          readonly component: { readonly components: readonly unknown[]; readonly version: string };
        };
        readonly components: readonly { readonly "bom-ref": string; readonly scope: string }[];
        readonly dependencies: readonly { readonly dependsOn: readonly string[] }[];
      };
      const files = readdirSync(join(modules, name), { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map((one) => join(one.parentPath, one.name));
      const listed = files.map((file) => ({
        type: "file",
        name: file.slice(join(modules, name).length + 1),
        hashes: [{ alg: "SHA-256", content: createHash("sha256").update(readFileSync(file)).digest("hex") }],
      }));
      expect(metadata.component.components).toHaveLength(listed.length);
      expect(metadata.component.components).toEqual(expect.arrayContaining(listed));
      const manifest = manifestOf(join(modules, name));
      expect(metadata.component.version).toBe(manifest.version);
      const wanted = Object.entries(manifest.dependencies).map(
        ([one, version]) => `pkg:npm/${one.replace("@", "%40")}@${version}`,
      );
      expect(dependencies[0]?.dependsOn).toEqual(wanted.sort());
      for (const ref of wanted) expect(components.find((one) => one["bom-ref"] === ref)?.scope, ref).toBe("required");
      expect(machineTraces({ path: `${sbom}.cdx.json`, text })).toEqual([]);
      expect(text).not.toContain(folder);
      expect(text).not.toContain(root);
    },
  );

  test("assent --version, a command that makes the database, and one that works in it", () => {
    expect(assent("--version").trim()).toBe(manifestOf(join(root, "packages", "cli")).version);
    assent("db", "migrate");
    const created = JSON.parse(
      assent(
        "client",
        "create",
        "--name",
        "App",
        "--type",
        "confidential",
        "--redirect-uri",
        "https://app.test/cb",
        "--json",
      ),
    );
    expect(created).toMatchObject({ client_name: "App", client_secret: expect.stringMatching(/^cs_/) });
  });

  test("assent demo → its app, a page, an asset and metadata; SIGTERM → exit code 0", async () => {
    const child = spawn(process.execPath, [launcher, "demo"], {
      cwd: join(folder, "app"),
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const told: string[] = [];
    child.stdout.setEncoding("utf8").on("data", (text: string) => told.push(text));
    const facts = join(own, "data", "demo.json");
    while (!told.join("").includes("Ctrl+C")) {
      if (child.exitCode !== null) throw new Error(`the demo ended with ${child.exitCode}`);
      await sleep(50);
    }
    const { issuer, client_url } = JSON.parse(readFileSync(facts, "utf8")) as Record<string, string>;
    const page = await fetch(`${issuer}/login`, { headers: { accept: "text/html", "accept-language": "ja" } });
    const html = await page.text();
    expect([page.status, html.includes('<html lang="ja"')]).toEqual([200, true]);
    const stylesheet = /href="(\/assets\/[^"]+\.css)"/.exec(html)?.[1];
    expect((await fetch(`${issuer}${stylesheet}`)).status).toBe(200);
    expect((await fetch(`${issuer}/.well-known/oauth-authorization-server`)).status).toBe(200);
    expect((await fetch(client_url ?? "")).status).toBe(200);
    expect(await stop(child)).toBe(0);
  });

  test("a program in TypeScript that uses the library → its types are found", () => {
    const program = join(folder, "app", "program.mts");
    cpSync(join(import.meta.dirname, "support", "embedder.ts.txt"), program);
    symlinkSync(join(root, "node_modules", "@types"), join(modules, "@types"));
    const options = [
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--types",
      "node",
    ];
    execFileSync(join(root, "node_modules", ".bin", "tsc"), [...options, program], {
      cwd: join(folder, "app"),
      stdio: "inherit",
    });
  });
});
