// forge: logs that are damaged, cut, rewritten or of another version, made from the lines of a sound one.
// A forged line carries its own right hash, so that nothing but its content can give it away.
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert } from "vitest"
import type { Bench, Place } from "./bench.ts"
import { latestDir, latestRun } from "./disk.ts"
import { freely } from "./gate.ts"

/** A place whose run has four lines, the bytes of each, and the anchor after the third. */
export interface Sound {
  readonly place: Place
  readonly lines: ReadonlyArray<Buffer>
  readonly anchor: string
}

const file = (on: Place, name: string): string => path.join(latestDir(on.state) ?? assert.fail("no run"), name)

/** Makes a sound run of four lines: the creation and three marks. */
export const makeSound = async (bench: Bench): Promise<Sound> => {
  const place = bench.place()
  assert.strictEqual((await freely(bench, place, { args: ["--advance-level"] })).exit, 7)
  assert.strictEqual((await freely(bench, place, { args: ["--advance-level"] })).exit, 7)
  const anchor = fs.readFileSync(file(place, "head.json"), "utf8")
  assert.strictEqual((await freely(bench, place, { args: ["--drop-level"] })).exit, 7)
  const lines = latestRun(place.state)?.raw.map((raw) => Buffer.from(`${raw}\n`)) ?? []
  assert.strictEqual(lines.length, 4)
  return { place, lines, anchor }
}

/** A copy of a sound run with other bytes for its log; its anchor is the third line's, another one, or missing. */
export const forged = (
  bench: Bench,
  { anchor, place }: Sound,
  log: Uint8Array | null,
  head: string | null = anchor
): Place => {
  const copy = bench.place(place)
  const names = { log: file(copy, "manifest.jsonl"), head: file(copy, "head.json") }
  if (log === null) fs.rmSync(names.log)
  else fs.writeFileSync(names.log, log)
  if (head === null) fs.rmSync(names.head)
  else fs.writeFileSync(names.head, head)
  return copy
}

/** The bytes of the first `count` lines of a sound run. */
export const first = ({ lines }: Sound, count: number): Buffer => Buffer.concat(lines.slice(0, count))

/** A line with some of its fields replaced and its hash made anew. */
export const rehashed = (line: Buffer, change: Readonly<Record<string, unknown>>): Buffer => {
  const { hash: _, ...fields } = JSON.parse(line.toString("utf8"))
  const body = JSON.stringify({ ...fields, ...change }).slice(0, -1)
  return Buffer.from(`${body},"hash":"${crypto.createHash("sha256").update(body).digest("hex")}"}\n`)
}

/** Bytes with some of them replaced. */
export const patched = (bytes: Uint8Array, at: number, by: Uint8Array): Buffer => {
  const copy = Buffer.from(bytes)
  copy.set(by, at)
  return copy
}
