/**
 * Loads the pages when the first person comes, or a moment after the start. So programs, and the start itself, don't
 * wait for pages.
 */

import type { IncomingMessage } from "node:http";
import { loadHashing } from "../crypto/password-hashing.ts";
import type { Brand } from "../pages/index.ts";
import type { Assent } from "../server-parts.ts";
import type { Answer, HttpRequest, Upload } from "./http-message.ts";
import type { PageChromes } from "./page-chromes.ts";

export type People = typeof import("./page-endpoints.ts");

/** A server with everything that its routes need. */
export interface Served extends Assent {
  readonly people: LazyPages;
}

export type Endpoint = (http: HttpRequest, assent: Served) => Promise<Answer>;

/** Reads the form with a file of a request. `over`: calls back when the exchange is over. */
export type ReadUpload = (
  raw: IncomingMessage,
  http: HttpRequest,
  over: (callback: () => void) => void,
  assent: Served,
) => Promise<Upload>;

interface LazyPagesParts {
  readonly issuer: string;
  readonly brand: Brand;
  /** Called if the pages could not be loaded before anybody came. */
  readonly missing: (error: unknown) => void;
}

/**
 * Milliseconds after which the pages are loaded even if nobody has come. By then, programs that waited for the start
 * have their responses.
 */
const SOON = 500;

export class LazyPages {
  readonly #parts: LazyPagesParts;
  #loading: Promise<People> | undefined;
  #loaded: { readonly people: People; readonly pageChromes: PageChromes } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: LazyPagesParts) {
    this.#parts = parts;
  }

  /** Loads the pages once for all callers. Rejects if a file is missing; the next caller tries again. */
  load(): Promise<People> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Undefined: nobody has needed them so far. */
  get loaded(): People | undefined {
    return this.#loaded?.people;
  }

  get pageChromes(): PageChromes {
    if (this.#loaded === undefined) throw new TypeError("a page was asked for its frame before pages were loaded");
    return this.#loaded.pageChromes;
  }

  /** Loads the pages soon, so that the first visitor does not wait. Keeps no process alive. */
  loadSoon(): void {
    this.#timer = setTimeout(() => {
      this.load().catch(this.#parts.missing);
    }, SOON);
    this.#timer.unref();
  }

  /** Resolves when no load is under way any more. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#loading?.catch(() => undefined);
  }

  async #load(): Promise<People> {
    try {
      const [people] = await Promise.all([import("./page-endpoints.ts"), loadHashing()]);
      const { issuer, brand } = this.#parts;
      this.#loaded = { people, pageChromes: new people.PageChromes(issuer, brand) };
      return people;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }
}

/** An endpoint that is loaded together with the pages. */
export function forPeople(pick: (people: People) => Endpoint): Endpoint {
  return async (http, assent) => pick(assent.people.loaded ?? (await assent.people.load()))(http, assent);
}

/** The same for the reader of a form with a file. */
export function forUploads(pick: (people: People) => ReadUpload): ReadUpload {
  return async (raw, http, over, assent) => {
    const people = assent.people.loaded ?? (await assent.people.load());
    return pick(people)(raw, http, over, assent);
  };
}
