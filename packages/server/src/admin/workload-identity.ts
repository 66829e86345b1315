/** The platform tokens by which a client authenticates (`workload_jwt`): checked, and in the form of a record. */

import { subjectPatternProblem } from "../oauth/client-authentication/workload-subject.ts";
import type { ClientMetadata, Registration } from "../oauth/client-registration/metadata.ts";
import type { Client, WorkloadIdentity } from "../oauth/model.ts";
import type { Remark } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";

const FIELD = "workload_identity";
const MAX_AUDIENCE = 1024;

/** Who names platform tokens and no method means the method that reads them. */
export function withWorkloadMethod(
  metadata: ClientMetadata,
  workload: WorkloadIdentity | null | undefined,
): ClientMetadata {
  const isChosen = metadata["token_endpoint_auth_method"] !== undefined;
  return workload == null || isChosen ? metadata : { ...metadata, token_endpoint_auth_method: "workload_jwt" };
}

/** All problems. The issuer of `before` is not judged again. */
export async function workloadProblems(
  workload: WorkloadIdentity | null | undefined,
  registration: Registration,
  before: Client | undefined,
  { storage }: AdminContext,
): Promise<readonly Remark[]> {
  if (workload === null || workload === undefined) {
    if (registration.kind === "invalid" || registration.fields.authMethod !== "workload_jwt") return [];
    const problem = "missing: workload_jwt needs the issuer and the subject of the platform's tokens";
    return [{ field: FIELD, problem }];
  }
  const problems: Remark[] = [];
  if (
    workload !== before?.workload &&
    registration.kind === "valid" &&
    registration.fields.authMethod !== "workload_jwt"
  )
    problems.push({
      field: FIELD,
      problem: `needs token_endpoint_auth_method workload_jwt, not ${registration.fields.authMethod}`,
    });
  const { issuer, subject, audience } = workload;
  const record = (await storage.issuers.list()).find((one) => one.issuer === issuer);
  if (record?.type !== "jwt" && before?.workload?.issuer !== issuer) {
    const problem = `${JSON.stringify(issuer.slice(0, 200))} is not a trusted issuer of JWTs: run assent issuer create --type jwt first`;
    problems.push({ field: `${FIELD}.issuer`, problem });
  }
  const wrong = subjectPatternProblem(subject);
  if (wrong !== undefined) problems.push({ field: `${FIELD}.subject`, problem: wrong });
  if (audience !== null && (audience.length > MAX_AUDIENCE || !/^[\u0021-\u007e]+$/.test(audience))) {
    const problem = `must be 1 to ${MAX_AUDIENCE} printable ASCII characters without spaces`;
    problems.push({ field: `${FIELD}.audience`, problem });
  }
  return problems;
}

/** In the form of a client's record. Nothing for clients that authenticate in another way. */
export function workloadRecord({ authMethod, workload }: Client): object {
  if (authMethod !== "workload_jwt" || workload === null || workload === undefined) return {};
  const { issuer, subject, audience } = workload;
  return { [FIELD]: { issuer, subject, ...(audience === null ? {} : { audience }) } };
}
