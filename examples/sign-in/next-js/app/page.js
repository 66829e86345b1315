import { redirect } from "next/navigation";
import { auth } from "../auth";

export default async function Page() {
  const session = await auth();
  if (session === null) redirect("/api/auth/signin");
  return <pre>{JSON.stringify(session.user)}</pre>;
}
