/** What is for people is loaded when the first of them comes, or a moment after the start: programs, and the start itself, don't wait for pages. */

import { loadHashing } from "../crypto/password.ts";
import type { Brand } from "../pages/index.ts";
import type { Assent } from "../server-parts.ts";
import type { Chromes } from "./chromes.ts";
import type { Answer, HttpRequest } from "./message.ts";

export type People = typeof import("./browser-endpoints.ts");

/** A server with all that its routes lead to. */
export interface Served extends Assent {
  readonly people: LazyPages;
}

export type Endpoint = (http: HttpRequest, assent: Served) => Promise<Answer>;

interface LazyPagesParts {
  readonly issuer: string;
  readonly brand: Brand;
  /** Told when it could not be loaded before anybody came. */
  readonly missing: (error: unknown) => void;
}

/** Milliseconds after which it is loaded even if nobody has come: programs that waited for the start have been answered by then. */
const SOON = 500;

export class LazyPages {
  readonly #parts: LazyPagesParts;
  #loading: Promise<People> | undefined;
  #loaded: { readonly people: People; readonly chromes: Chromes } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: LazyPagesParts) {
    this.#parts = parts;
  }

  /** One load for all who wait for it. Rejects where a file can't be had; the next who asks tries again. */
  load(): Promise<People> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Undefined: nobody has needed it so far. */
  get loaded(): People | undefined {
    return this.#loaded?.people;
  }

  get chromes(): Chromes {
    if (this.#loaded === undefined) throw new TypeError("a page was asked for its frame before pages were loaded");
    return this.#loaded.chromes;
  }

  /** Loads it soon, so that the first visitor doesn't wait. Keeps no process alive. */
  loadSoon(): void {
    this.#timer = setTimeout(() => {
      this.load().catch(this.#parts.missing);
    }, SOON);
    this.#timer.unref();
  }

  /** Resolves when nothing is being loaded any more. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#loading?.catch(() => undefined);
  }

  async #load(): Promise<People> {
    try {
      const [people] = await Promise.all([import("./browser-endpoints.ts"), loadHashing()]);
      const { issuer, brand } = this.#parts;
      this.#loaded = { people, chromes: new people.Chromes(issuer, brand) };
      return people;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }
}

/** An endpoint that is loaded with the others for people. */
export function forPeople(pick: (people: People) => Endpoint): Endpoint {
  return async (http, assent) => pick(assent.people.loaded ?? (await assent.people.load()))(http, assent);
}
