/** Webhooks for the command and the admin API. */

export type { Delivery, DeliveryStatus } from "../../webhooks/webhook.ts";
export * from "./deliveries.ts";
export * from "./records.ts";
export * from "./webhooks.ts";
