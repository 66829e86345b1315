/** What the use-cases about an owner's apps are given. */

import type { DelegationStorage } from "../../oauth/token-exchange/storage.ts";
import type { Uses } from "../../storage-subset.ts";
import type { CompanyStorage } from "../company-storage.ts";
import type { LastCompanyStorage } from "../last-company.ts";
import type { OfferedDuration, OwnerStorage } from "../storage.ts";
import type { HistoryContext } from "./history-page.ts";
import type { TokenExpiryContext } from "./remaining-token-lifetime.ts";

export interface AppsContext extends HistoryContext, TokenExpiryContext {
  readonly storage: HistoryContext["storage"] &
    TokenExpiryContext["storage"] &
    Uses<
      OwnerStorage,
      | "consents.list"
      | "consents.listHeld"
      | "consents.setPaused"
      | "consents.revoke"
      | "consents.narrow"
      | "consents.changeEnd"
      | "consents.forgetDeclined"
      | "consents.forgetChoice"
      | "consents.find"
      | "people.get"
      | "scopeUses.list"
      | "apiUses.list"
    > &
    Uses<DelegationStorage, "delegations.list"> &
    Uses<LastCompanyStorage, "lastCompanies.list"> &
    Uses<
      CompanyStorage,
      | "members.companiesOf"
      | "members.findActing"
      | "companyApps.listChoices"
      | "companyApps.grantsOfMember"
      | "companyApps.forgetChoice"
      | "companyApps.liveAccess"
    >;
  /** The lengths of time that the operator offers. */
  readonly consentDurations: readonly OfferedDuration[];
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}
