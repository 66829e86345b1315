/** What the use-cases of a person's account are given. */

import type { AskContext } from "../mail/ask-for-mail.ts";
import type { FollowContext } from "../mail/open-mail-link.ts";
import type { PasswordContext } from "./change-password.ts";
import type { ConfirmContext } from "./confirm-address.ts";
import type { DataExportContext } from "./data-export.ts";
import type { DeletionContext } from "./deletion.ts";
import type { PictureContext } from "./picture.ts";
import type { ProfileContext } from "./profile.ts";
import type { SignUpContext } from "./sign-up.ts";

export type AccountContext = AskContext &
  ConfirmContext &
  FollowContext &
  DataExportContext &
  DeletionContext &
  PasswordContext &
  PictureContext &
  ProfileContext &
  SignUpContext;
