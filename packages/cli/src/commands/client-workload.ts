/** The options of a client that authenticates with the token of its platform. */

import type { WorkloadIdentity } from "@assent/server/admin";
import type { Command } from "commander";
import { UsageError } from "../command-errors.ts";

export interface WorkloadOptions {
  readonly workloadIssuer?: string;
  readonly workloadSubject?: string;
  readonly workloadAudience?: string;
}

export function addWorkloadOptions(command: Command): Command {
  return command
    .option("--workload-issuer <issuer>", "it authenticates with tokens of this trusted issuer (workload_jwt)")
    .option(
      "--workload-subject <pattern>",
      "the sub of these tokens; a * stands for one part between / and :, as in repo:octo/app:ref:refs/heads/*",
    )
    .option("--workload-audience <audience>", "the only aud of these tokens; default: the issuer of this server");
}

/** Undefined: no option names a workload. */
export function workloadOf(options: WorkloadOptions): WorkloadIdentity | undefined {
  const { workloadIssuer: issuer, workloadSubject: subject, workloadAudience: audience = null } = options;
  if (issuer === undefined && subject === undefined && audience === null) return undefined;
  if (issuer === undefined || subject === undefined)
    throw new UsageError("use --workload-issuer and --workload-subject together");
  return { issuer, subject, audience };
}
