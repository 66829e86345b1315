/** The REST API of the OpenID Foundation's conformance suite, as far as a run needs it. */

import { type RequestOptions, request } from "node:https";
import { connect, type DetailedPeerCertificate } from "node:tls";

/** Milliseconds in which the suite must answer one request. It answers `wait-state` after 30 seconds at the latest. */
const PATIENCE = 60_000;
/** The states in which a module waits for nothing more that this program does. */
const DONE = ["FINISHED", "INTERRUPTED"];

export interface PlanModule {
  readonly testModule: string;
  readonly variant?: Readonly<Record<string, string>>;
}

export interface Plan {
  readonly id: string;
  readonly modules: readonly PlanModule[];
}

export const RESULTS = ["PASSED", "WARNING", "REVIEW", "SKIPPED", "FAILED"] as const;
export type Result = (typeof RESULTS)[number];

export interface LogEntry {
  /** The name of the condition that wrote this line. */
  readonly src?: string;
  readonly msg?: string;
  readonly result?: string;
}

export interface ModuleRun {
  readonly id: string;
  readonly result: Result;
  readonly log: readonly LogEntry[];
}

/** No suite answers at this address. */
export class NoSuite extends Error {}

export class Suite {
  readonly url: URL;
  /** The certificate at the root of the suite's chain, as PEM. */
  readonly certificate: string;

  private constructor(url: URL, certificate: string) {
    this.url = url;
    this.certificate = certificate;
  }

  /**
   * Connects to a suite on a machine of one's own: its certificate is usually self-signed, so this program trusts the
   * one that the suite shows.
   *
   * @throws NoSuite
   */
  static async at(address: string): Promise<Suite> {
    const url = new URL(address);
    const certificate = await rootCertificate(url).catch((error: Error) => {
      throw new NoSuite(error.message);
    });
    const suite = new Suite(url, certificate);
    await suite.version();
    return suite;
  }

  /** @throws NoSuite if this is another program. */
  async version(): Promise<string> {
    const { version } = await this.#call<{ version?: string }>("GET", "/api/server").catch((error: Error) => {
      throw new NoSuite(error.message);
    });
    if (version === undefined) throw new NoSuite("the answer to /api/server has no version");
    return version;
  }

  createPlan(planName: string, variant: Readonly<Record<string, string>>, configuration: object): Promise<Plan> {
    return this.#call("POST", "/api/plan", { planName, variant: JSON.stringify(variant) }, configuration);
  }

  /** Runs one module to its end. `prepare`: what the suite's user does while it waits to be started. */
  async run(plan: Plan, { testModule, variant = {} }: PlanModule, prepare?: () => Promise<void>): Promise<ModuleRun> {
    const parameters = { plan: plan.id, test: testModule, variant: JSON.stringify(variant) };
    const { id } = await this.#call<{ id: string }>("POST", "/api/runner", parameters);
    if ((await this.#reaches(id, ["CONFIGURED", "WAITING", ...DONE])) === "CONFIGURED") {
      await prepare?.();
      await this.#call("POST", `/api/runner/${id}`);
    }
    await this.#reaches(id, DONE);
    const info = await this.#call<{ status: string; result?: string | null }>("GET", `/api/info/${id}`);
    const log = await this.#call<readonly LogEntry[]>("GET", `/api/log/${id}`);
    // A module that was interrupted has no result, or one from before.
    const result = info.status === "FINISHED" ? RESULTS.find((one) => one === info.result) : undefined;
    return { id, result: result ?? "FAILED", log };
  }

  /** Waits until the module is in one of these states. */
  async #reaches(id: string, states: readonly string[]): Promise<string> {
    for (;;) {
      const { state } = await this.#call<{ state?: string }>("GET", `/api/runner/${id}/wait-state`, {
        states: states.join(","),
        timeoutMs: "30000",
      });
      if (state !== undefined) return state;
    }
  }

  #call<Answer>(
    method: string,
    path: string,
    query: Readonly<Record<string, string>> = {},
    body?: object,
  ): Promise<Answer> {
    const target = new URL(path, this.url);
    target.search = new URLSearchParams(query).toString();
    const options: RequestOptions = {
      method,
      ca: this.certificate,
      headers: { accept: "application/json", "content-type": "application/json" },
      signal: AbortSignal.timeout(PATIENCE),
    };
    return new Promise((resolve, reject) => {
      const sent = request(target, options, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
        answer.once("error", reject).once("end", () => {
          const status = answer.statusCode ?? 0;
          if (status >= 300) return reject(new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`));
          try {
            resolve(JSON.parse(text) as Answer);
          } catch {
            reject(new Error(`${method} ${path}: the answer is not JSON`));
          }
        });
      });
      sent.once("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

/** The last certificate of the chain that this server shows. */
function rootCertificate({ hostname, port }: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname,
      port: Number(port || 443),
      servername: hostname,
      rejectUnauthorized: false,
      timeout: PATIENCE,
    });
    socket.once("error", reject).once("timeout", () => socket.destroy(new Error("no answer")));
    socket.once("secureConnect", () => {
      let top: DetailedPeerCertificate = socket.getPeerCertificate(true);
      while (top.issuerCertificate !== undefined && top.issuerCertificate.fingerprint256 !== top.fingerprint256)
        top = top.issuerCertificate;
      socket.destroy();
      resolve(`-----BEGIN CERTIFICATE-----\n${top.raw.toString("base64")}\n-----END CERTIFICATE-----\n`);
    });
  });
}
