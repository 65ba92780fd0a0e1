// SettingsFiles.live: the places of settings files; links and modes stay, and no other change is lost.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../src/hook/SettingsFiles.live.ts"
import { Environment, type Variables } from "../../../src/platform/Environment.ts"
import { SettingsFiles, type SettingsRef } from "../../../src/hook/SettingsFiles.ts"
import { eachInDirectory } from "../../support/directories.ts"

const dir = eachInDirectory()

const using = <A, E>(use: (files: SettingsFiles["Service"]) => Effect.Effect<A, E>, env: Variables = { HOME: dir() }) =>
  Effect.runPromise(
    SettingsFiles.use(use).pipe(Effect.provide(layer), Effect.provideService(Environment, env), Effect.result)
  )
const reading = async (of: Partial<SettingsRef> = {}, env?: Variables) =>
  Result.getOrThrow(await using((files) => files.read({ scope: "project", cwd: dir(), ...of }), env))
const replacing = (before: string, after: string) =>
  using((files) => files.replace({ scope: "project", cwd: dir() }, before, after))
const at = () => dir(".claude", "settings.json")
const given = (text: string | Uint8Array): void => {
  mkdirSync(dirname(at()), { recursive: true })
  writeFileSync(at(), text)
}
const problem = (result: Result.Result<unknown, unknown>) =>
  Result.match(result, { onFailure: (error) => String(error), onSuccess: () => "none" })

describe("a settings file", () => {
  it("is where Claude Code expects it", async () => {
    const path = async (of: Partial<SettingsRef>, env?: Variables) => (await reading(of, env)).path
    assert.strictEqual(await path({}), at())
    assert.strictEqual(await path({ scope: "local" }), dir(".claude", "settings.local.json"))
    assert.strictEqual(await path({ scope: "user", cwd: "/" }), at())
    assert.strictEqual(await path({ scope: "user" }, { HOME: "/h", CLAUDE_CONFIG_DIR: "/c" }), "/c/settings.json")
  })

  it("has no place without a home", async () =>
    assert.match(problem(await using((files) => files.read({ scope: "user", cwd: dir() }), {})), /set HOME/))

  it("is empty if it is missing, and is not created", async () => {
    assert.strictEqual((await reading()).text, "")
    assert.deepStrictEqual(readdirSync(dir()), [])
  })

  it("is created with its directory, private to its user", async () => {
    assert.strictEqual(problem(await replacing("", "{}\n")), "none")
    assert.strictEqual(readFileSync(at(), "utf8"), "{}\n")
    assert.strictEqual(statSync(at()).mode & 0o777, 0o600)
  })

  it("keeps its mode and the link to it", async () => {
    const kept = dir("dotfiles")
    mkdirSync(kept)
    mkdirSync(dirname(at()))
    writeFileSync(join(kept, "mine.json"), "one")
    chmodSync(join(kept, "mine.json"), 0o644)
    symlinkSync(join(kept, "mine.json"), at())
    assert.strictEqual((await reading()).text, "one")
    assert.strictEqual(problem(await replacing("one", "two")), "none")
    assert.isTrue(lstatSync(at()).isSymbolicLink())
    assert.strictEqual(readFileSync(join(kept, "mine.json"), "utf8"), "two")
    assert.strictEqual(statSync(at()).mode & 0o777, 0o644)
    assert.deepStrictEqual(readdirSync(kept), ["mine.json"])
  })

  it("is not written if somebody else changed it meanwhile", async () => {
    given("theirs")
    assert.match(problem(await replacing("one", "two")), /it was changed meanwhile/)
    assert.strictEqual(readFileSync(at(), "utf8"), "theirs")
  })

  it("keeps a byte order mark", async () => {
    given("\uFEFF{}")
    assert.strictEqual((await reading()).text, "\uFEFF{}")
  })
})

describe("anything else", () => {
  const refused = async () => problem(await using((files) => files.read({ scope: "project", cwd: dir() })))

  it("is refused in one line", async () => {
    given(new Uint8Array([0x7b, 0xff, 0x7d]))
    assert.match(await refused(), /it is not valid UTF-8/)
    given("x".repeat(1024 * 1024 + 1))
    assert.match(await refused(), /it is larger than 1048576 bytes/)
    rmSync(at())
    mkdirSync(at())
    assert.match(await refused(), /it is not a regular file/)
  })

  it("is refused too as a dangling link, which is not followed or replaced", async () => {
    mkdirSync(dirname(at()))
    symlinkSync(dir("gone"), at())
    assert.match(problem(await replacing("", "{}")), /it is not a regular file/)
    assert.isFalse(existsSync(dir("gone")))
    assert.isTrue(lstatSync(at()).isSymbolicLink())
  })
})
