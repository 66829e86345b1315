/** At which redirect hosts a member answered about an app for their company, and until when there. Pure functions. */

import { MOST_HOSTS, type Reach, reaches } from "../oauth/consent-reach.ts";
import type { Millis } from "../oauth/model.ts";

/** Ends by a scope's name, or by a host. Null: none. */
type Ends = Readonly<Record<string, Millis | null>>;

/** One scope that a member allowed for their company. */
export interface AnsweredScope {
  readonly name: string;
  /** The hosts of the member's answers, as `receiverOf` writes them. Absent: those of consents before hosts were recorded. */
  readonly hosts?: readonly string[];
  /** The ends at single hosts, where they differ from the end of the last answer. Null: none. */
  readonly ends?: Ends;
}

/** The remembered answer of a member. `answeredAt` absent: it was written before its hosts were recorded. */
interface MemberAnswer {
  readonly chosenEnds: Ends;
  readonly answeredAt?: readonly AnsweredScope[];
}

/** True: the member answered about the scope at this host, or the answer holds wherever the company's consent does. */
export function isAnsweredAt({ answeredAt }: Pick<MemberAnswer, "answeredAt">, name: string, reach: Reach): boolean {
  if (answeredAt === undefined) return true;
  const scope = answeredAt.find((one) => one.name === name);
  return scope !== undefined && reaches(scope.hosts, reach);
}

/** The end that the member chose for a scope at this host, or else in their last answer. Null: none. */
export function endAt({ chosenEnds, answeredAt = [] }: MemberAnswer, name: string, host: string | null): Millis | null {
  const { ends = {} } = answeredAt.find((one) => one.name === name) ?? {};
  return (host !== null && Object.hasOwn(ends, host) ? ends[host] : chosenEnds[name]) ?? null;
}

/** All ends that the member chose for a scope, at whatever hosts. */
export function endsAnywhere(answer: MemberAnswer, name: string): readonly (Millis | null)[] {
  const { ends = {} } = answer.answeredAt?.find((one) => one.name === name) ?? {};
  return [null, ...Object.keys(ends)].map((host) => endAt(answer, name, host));
}

/**
 * The hosts after an answer. Its scopes hold at its host, too. The other hosts keep their ends, unless the member moved the
 * end of a scope that they gave here already. `chosenEnds`: the ends after the answer.
 */
export function answeredHosts(
  before: MemberAnswer & Required<Pick<MemberAnswer, "answeredAt">>,
  { scopes, moved, chosenEnds }: Pick<MemberAnswer, "chosenEnds"> & Record<"scopes" | "moved", readonly string[]>,
  { host, earlierHosts }: Reach,
): readonly AnsweredScope[] {
  return Object.keys(chosenEnds).map((name): AnsweredScope => {
    const held = Object.hasOwn(before.chosenEnds, name)
      ? before.answeredAt.find((one) => one.name === name)
      : undefined;
    const hosts = held === undefined ? [] : (held.hosts ?? earlierHosts);
    const isAnswered = scopes.includes(name);
    const others = hosts.filter((one) => one !== host || !isAnswered).slice(1 - MOST_HOSTS);
    const kept =
      isAnswered && moved.includes(name) ? [] : others.map((one) => [one, endAt(before, name, one)] as const);
    const ends = kept.filter(([, end]) => end !== chosenEnds[name]);
    return {
      name,
      hosts: host === null || !isAnswered ? others : [...others, host],
      ...(ends.length === 0 ? {} : { ends: Object.fromEntries(ends) }),
    };
  });
}
