import { expect, test } from "vitest";
import { partitionOf } from "../../../src/storage/partition.ts";
import { onEveryBackend } from "../support/backends.ts";
import { anId, aPerson, aSession, aStoredPerson, NOW } from "../support/record-builders.ts";

onEveryBackend("pictures", (storage) => {
  const aPicture = (partition: number, fill = 1) => ({
    pictureId: anId(partition),
    type: "image/webp",
    bytes: new Uint8Array(3000).fill(fill),
  });
  const keyOf = ({ partition, personId }: { readonly partition: number; readonly personId: string }) => ({
    partition,
    personId,
  });
  const at = (pictureId: string) => storage().pictures.get({ partition: partitionOf(pictureId), pictureId });
  const withPicture = async () => {
    const person = await aStoredPerson(storage());
    const picture = aPicture(person.partition);
    expect(await storage().pictures.set({ ...keyOf(person), picture, now: NOW + 1 })).toBe(true);
    return { person, key: keyOf(person), picture };
  };

  test("nobody has that id, or it is no id → undefined", async () => {
    const { key } = await withPicture();
    expect(await at(anId(key.partition))).toBeUndefined();
    expect(await at("x")).toBeUndefined();
    expect(await storage().pictures.ofPerson(keyOf(aPerson()))).toBeUndefined();
  });

  test("nobody has that account → false, and no row", async () => {
    const person = aPerson();
    const picture = aPicture(person.partition);
    expect(await storage().pictures.set({ ...keyOf(person), picture, now: NOW })).toBe(false);
    expect(await at(picture.pictureId)).toBeUndefined();
  });

  test("the session that asks has ended → false, and the picture stays", async () => {
    const { person, key, picture } = await withPicture();
    const session = aSession(person);
    await storage().sessions.create(session);
    await storage().sessions.endAll({ ...key, now: NOW });
    const change = { ...key, sessionId: session.sessionId, now: NOW };
    expect(await storage().pictures.set({ ...change, picture: null })).toBe(false);
    expect(await storage().pictures.set({ ...change, picture: aPicture(key.partition) })).toBe(false);
    expect(await at(picture.pictureId)).toEqual({ type: picture.type, bytes: picture.bytes });
  });

  test("set → the bytes by id and by person, the id at the person, and a new time of change", async () => {
    const { key, picture } = await withPicture();
    const { type, bytes } = picture;
    expect(await at(picture.pictureId)).toEqual({ type, bytes });
    expect(await storage().pictures.ofPerson(key)).toEqual({ type, bytes });
    const person = await storage().people.get(key);
    expect(person).toMatchObject({ pictureId: picture.pictureId, updatedAt: NOW + 1 });
  });

  test("set again → only the new one; its id is another", async () => {
    const { key, picture } = await withPicture();
    const next = aPicture(key.partition, 2);
    await storage().pictures.set({ ...key, picture: next, now: NOW + 2 });
    expect(await at(picture.pictureId)).toBeUndefined();
    expect((await at(next.pictureId))?.bytes).toEqual(next.bytes);
  });

  test("another change of the person → the picture stays", async () => {
    const { key, picture } = await withPicture();
    await storage().people.update({ ...key, changes: { name: "Ada L." }, now: NOW + 2 });
    expect((await storage().people.get(key))?.pictureId).toBe(picture.pictureId);
    expect(await at(picture.pictureId)).toBeDefined();
  });

  test("removed → neither bytes nor id", async () => {
    const { key, picture } = await withPicture();
    expect(await storage().pictures.set({ ...key, picture: null, now: NOW + 2 })).toBe(true);
    expect(await at(picture.pictureId)).toBeUndefined();
    expect(await storage().pictures.ofPerson(key)).toBeUndefined();
    expect((await storage().people.get(key))?.pictureId).toBeNull();
  });

  test("the person is disabled → the address shows nothing until they are active again", async () => {
    const { key, picture } = await withPicture();
    await storage().people.setStatus({ ...key, status: "disabled", now: NOW });
    expect(await at(picture.pictureId)).toBeUndefined();
    await storage().people.setStatus({ ...key, status: "active", now: NOW });
    expect(await at(picture.pictureId)).toBeDefined();
  });

  test("the person is deleted → nothing is left", async () => {
    const { key, picture } = await withPicture();
    await storage().people.delete({ ...key, now: NOW });
    expect(await at(picture.pictureId)).toBeUndefined();
    expect(await storage().pictures.ofPerson(key)).toBeUndefined();
  });

  test("twenty pictures at once → one stays, and the person has its id", async () => {
    const { key } = await withPicture();
    const pictures = Array.from({ length: 20 }, (_, fill) => aPicture(key.partition, fill));
    await Promise.all(pictures.map((picture) => storage().pictures.set({ ...key, picture, now: NOW + 2 })));
    const found = await Promise.all(pictures.map(({ pictureId }) => at(pictureId)));
    const left = pictures.filter((_, index) => found[index] !== undefined);
    expect(left).toHaveLength(1);
    expect((await storage().people.get(key))?.pictureId).toBe(left[0]?.pictureId);
  });
});
