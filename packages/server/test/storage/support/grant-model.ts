/** A simple model of a grant and its consent. Tests compare the database with it. */

import { NEVER } from "../../../src/oauth/model.ts";
import type { NewGrant, RedeemCode, RefreshGrant } from "../../../src/oauth/storage.ts";
import { MINUTE, SECOND } from "./record-builders.ts";

export class ModelConsent {
  status: "active" | "revoked" = "active";
  scopes: string[];
  readonly until: number | null;
  readonly grants: ModelGrant[] = [];

  constructor(scopes: readonly string[], until: number | null) {
    this.scopes = [...scopes];
    this.until = until;
  }

  covers(scopes: readonly string[], now: number): boolean {
    if (this.status !== "active" || (this.until !== null && this.until < now + 30 * SECOND)) return false;
    return scopes.every((scope) => this.scopes.includes(scope));
  }

  born(made: NewGrant, _now: number): ModelGrant {
    const grant = new ModelGrant(made, this.until ?? NEVER);
    this.grants.push(grant);
    return grant;
  }

  revoke(now: number): string {
    if (this.status !== "active") return "unknown";
    this.status = "revoked";
    for (const grant of this.grants) if (grant.status === "active") grant.stop("revoked", now);
    return "revoked";
  }

  narrow(scope: string, now: number): string {
    if (this.status !== "active") return "unknown";
    const isOver = this.until !== null && this.until <= now;
    this.scopes = isOver ? [] : this.scopes.filter((each) => each !== scope);
    const live = this.grants.filter((grant) => grant.isLive(now));
    for (const grant of live) {
      grant.scopes = grant.scopes.filter((each) => each !== scope);
      if (grant.scopes.length === 0) grant.stop("revoked", now);
    }
    const left = this.scopes.length + live.reduce((sum, grant) => sum + grant.scopes.length, 0);
    if (left > 0) return "narrowed";
    this.status = "revoked";
    return "revoked";
  }
}

export class ModelGrant {
  status = "active";
  generation = 0;
  scopes: string[];
  rotatedAt: number | null = null;
  retries = 0;
  lastUsedAt: number | null = null;
  endedAt: number | null = null;
  idleUntil: number;
  absoluteUntil: number;
  readonly #made: NewGrant;

  constructor(made: NewGrant, absoluteUntil: number) {
    this.#made = made;
    this.scopes = [...made.scopes];
    this.idleUntil = made.codeUntil;
    this.absoluteUntil = absoluteUntil;
  }

  /** The fields of a row. */
  visible() {
    const { status, generation, rotatedAt, retries, lastUsedAt, endedAt, absoluteUntil } = this;
    return {
      status,
      generation,
      rotatedAt,
      retries,
      lastUsedAt,
      endedAt,
      absoluteUntil,
      idleUntil: Math.min(this.idleUntil, absoluteUntil),
    };
  }

  isLive(now: number): boolean {
    return this.status === "active" && this.idleUntil > now && this.absoluteUntil > now;
  }

  stop(status: string, now: number): void {
    this.status = status;
    this.endedAt = now;
  }

  redeem(isRight: boolean, named: boolean, { now, idleUntil, accessUntil }: RedeemCode): string {
    if (!this.isLive(now)) return "unknown";
    if (this.generation > 0) {
      if (!isRight) return "replay_invalid";
      this.stop("replayed", now);
      return "replayed";
    }
    if (this.#made.audience === null && !named) return "needs_resource";
    if (!this.#made.refreshable) {
      this.idleUntil = accessUntil;
      this.absoluteUntil = Math.min(this.absoluteUntil, accessUntil);
    } else {
      this.idleUntil = idleUntil;
    }
    if (!isRight) {
      this.stop("burned", now);
      return "burned";
    }
    this.generation = 1;
    this.lastUsedAt = now;
    return "redeemed";
  }

  refresh({ generation, rotate, clientId, resourceNamed, retryFrom, now, idleUntil }: RefreshGrant): string {
    if (this.generation === 0 || generation < 1) return "unknown";
    if (clientId !== this.#made.clientId) return "other_client";
    if (this.status === "active" && !this.#made.refreshable) return "not_refreshable";
    if (!this.isLive(now)) return "ended";
    if (this.#made.audience === null && !resourceNamed) return "needs_resource";
    if (generation > this.generation) return "ahead";
    if (generation === this.generation) {
      if (!rotate && this.lastUsedAt !== null && this.lastUsedAt > now - MINUTE) return "kept";
      this.lastUsedAt = now;
      this.idleUntil = idleUntil;
      if (!rotate) return "kept";
      this.generation += 1;
      this.rotatedAt = now;
      this.retries = 0;
      return "rotated";
    }
    if (generation === this.generation - 1 && this.retries < 3 && (this.rotatedAt ?? 0) >= retryFrom) {
      this.retries += 1;
      return "retried";
    }
    this.stop("theft", now);
    return "theft";
  }

  end(now: number): string {
    if (this.generation === 0) return "unknown";
    if (this.status !== "active") return "already_ended";
    this.stop("client_revoked", now);
    return "ended";
  }
}
