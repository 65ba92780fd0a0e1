// Sessions.live: one change at a time; unreadable state counts as new, and files of other users are ignored.
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { Effect, References } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../src/hook/Sessions.live.ts"
import { emptySession, encodeSessionState, reportOnce } from "../../../src/hook/Session.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { Sessions } from "../../../src/hook/Sessions.ts"
import { eachInDirectory } from "../../support/directories.ts"

const dir = eachInDirectory()

const session = "../../etc/passwd"
const of = () => ({ session, stateRoot: dir("state"), cwd: dir() })
const folder = () => dir("state", "sessions")
const file = () => join(folder(), `${createHash("sha256").update(session).digest("hex")}.json`)

const run = <A, E>(effect: Effect.Effect<A, E, Sessions>) =>
  Effect.runPromise(effect.pipe(
    Effect.provide(layer),
    Effect.provideService(Environment, { PATH: process.env["PATH"] ?? "" }),
    Effect.provideService(References.MinimumLogLevel, "None")
  ))
const read = () => run(Sessions.use((sessions) => sessions.read(of())))
const report = () =>
  run(Sessions.use((sessions) => sessions.change(of(), (state) => [state, reportOnce(state, "User", "why").state])))
const kept = { ...emptySession, told: "User", unasked: "why" } as const

describe("a session", () => {
  it("without an id has no state, and shares none", async () => {
    const unnamed = { ...of(), session: "" }
    const answer = await run(Sessions.use((sessions) => sessions.change(unnamed, (state) => [1, { ...state, seq: 7 }])))
    assert.strictEqual(answer, 1)
    assert.deepStrictEqual(await run(Sessions.use((sessions) => sessions.read(unnamed))), emptySession)
    assert.isNull(await run(Sessions.use((sessions) => sessions.problem(unnamed))))
    await run(Sessions.use((sessions) => sessions.forget(unnamed)))
    assert.isFalse(fs.existsSync(folder()))
  })

  it("is new at first, then has what was stored, private to its user", async () => {
    assert.deepStrictEqual(await read(), emptySession)
    assert.deepStrictEqual(await report(), emptySession)
    assert.deepStrictEqual(await report(), kept)
    assert.deepStrictEqual(await read(), kept)
    assert.deepStrictEqual([fs.statSync(folder()).mode & 0o777, fs.statSync(file()).mode & 0o777], [0o700, 0o600])
  })

  it("says why it cannot be kept", async () => {
    const problem = () => run(Sessions.use((sessions) => sessions.problem(of())))
    assert.isNull(await problem())
    fs.mkdirSync(file())
    assert.match(await problem() ?? "", /json is a directory$/)
    fs.chmodSync(folder(), 0o777)
    assert.match(await problem() ?? "", /is not a private directory of this user$/)
    fs.rmSync(dir("state"), { recursive: true })
    fs.writeFileSync(dir("state"), "")
    assert.match(await problem() ?? "", /is not a directory/)
  })

  it("is hidden from reviewers of the directory", async () => {
    await report()
    assert.strictEqual(fs.readFileSync(join(folder(), ".gitignore"), "utf8"), "*\n")
  })

  it("that cannot be read counts as new, and is complete after the next change", async () => {
    for (const text of ["", "{", "null", "[]", '{"version":2}', `${encodeSessionState(kept)}x`, "\u0000".repeat(100)]) {
      await report()
      fs.writeFileSync(file(), text)
      assert.deepStrictEqual([text, await read()], [text, emptySession])
      await report()
      assert.deepStrictEqual(await read(), kept)
    }
  })

  it("is never a link, a directory or a file that is too large", async () => {
    await report()
    const other = dir("other")
    fs.writeFileSync(other, encodeSessionState(kept))
    for (
      const put of [
        () => fs.symlinkSync(other, file()),
        () => fs.writeFileSync(file(), `${encodeSessionState(kept)}${" ".repeat(5 * 1024 * 1024)}`)
      ]
    ) {
      fs.rmSync(file())
      put()
      assert.deepStrictEqual(await read(), emptySession)
      await report()
      assert.isTrue(fs.lstatSync(file()).isFile())
    }
    assert.strictEqual(fs.readFileSync(other, "utf8"), encodeSessionState(kept))
    fs.rmSync(file())
    fs.mkdirSync(file())
    assert.deepStrictEqual(await read(), emptySession)
  })

  it("is not kept in a directory that others can write to", async () => {
    await report()
    fs.chmodSync(folder(), 0o777)
    assert.deepStrictEqual(await read(), emptySession)
    assert.match(
      await run(Effect.flip(Sessions.use((sessions) => sessions.forget(of())))).then(String),
      /not a private/
    )
  })

  it.skipIf(process.getuid?.() !== 0)("of another user is ignored", async () => {
    await report()
    fs.chownSync(file(), 12345, 12345)
    assert.deepStrictEqual(await read(), emptySession)
  })

  it("is changed by one call at a time", async () => {
    const change = Sessions.use((sessions) =>
      sessions.change(of(), (state) => [null, { ...state, seq: state.seq + 1 }])
    )
    await run(Effect.all(Array.from({ length: 20 }, () => change), { concurrency: "unbounded" }))
    assert.strictEqual((await read()).seq, 20)
  })

  it("is removed with every one that was not changed for a week", async () => {
    await report()
    const [old, recent, foreign] = ["0".repeat(64), "1".repeat(64), "mine"].map((name) =>
      join(folder(), `${name}.json`)
    )
    const long = Date.now() / 1000 - 8 * 24 * 3600
    for (const path of [old, recent, foreign]) fs.writeFileSync(path ?? "", "x")
    for (const path of [old, foreign]) fs.utimesSync(path ?? "", long, long)
    await run(Sessions.use((sessions) => sessions.forget(of())))
    assert.deepStrictEqual([file(), old, recent, foreign].map((path) => fs.existsSync(path ?? "")), [
      false,
      false,
      true,
      true
    ])
  })
})
