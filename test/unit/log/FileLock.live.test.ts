// FileLock: one holder of a file's lock, released when its process dies, never waited for in vain.
// Other holders are real processes; each one started here is killed here.
import { Clock, Duration, Effect, Fiber } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { networkFileSystem, tryLock, withFileLock } from "../../../src/log/FileLock.live.ts"
import { outcome } from "./temporaryLog.ts"

let root = ""
let file = ""
const started: Array<ChildProcess> = []

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "ooda-lock-"))
  file = path.join(root, "lock")
})

afterEach(async () => {
  for (const child of started.splice(0)) await kill(child)
  fs.rmSync(root, { recursive: true, force: true })
})

/** A process that holds the lock until it dies, and can leave behind a child that it started meanwhile. */
const program = (leaveChild: boolean) => `
  import { spawn, spawnSync } from "node:child_process"
  import { openSync } from "node:fs"
  const fd = openSync(process.argv[1], "a+")
  const { status } = spawnSync("flock", ["-x", "-n", "3"], { stdio: ["ignore", "ignore", "ignore", fd] })
  const child = ${leaveChild} ? spawn("sleep", ["60"], { detached: true, stdio: "ignore" }).pid : 0
  process.stdout.write(status + " " + child + "\\n")
  setInterval(() => {}, 1000)
`

const holder = (leaveChild = false): Promise<{ readonly process: ChildProcess; readonly child: number }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program(leaveChild), file], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    started.push(child)
    child.once("exit", () => reject(new Error("the holder ended")))
    child.stdout.once("data", (data) => {
      const [status, pid] = String(data).split(" ").map(Number)
      if (status === 0) resolve({ process: child, child: pid ?? 0 })
      else reject(new Error("the holder could not lock"))
    })
  })

const kill = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.removeAllListeners("exit")
    child.once("exit", () => resolve())
    child.kill("SIGKILL")
  })

const locked = <A>(use: Effect.Effect<A>) => Effect.runPromise(withFileLock(file, use))

const isFree = (): boolean => {
  const fd = tryLock(file, process.env)
  if (fd !== null) fs.closeSync(fd)
  return fd !== null
}

describe("withFileLock", () => {
  it("holds while its effect runs, and is released however the effect ends", async () => {
    assert.isFalse(await locked(Effect.sync(isFree)))
    assert.isTrue(isFree())
    await outcome(withFileLock(file, Effect.andThen(Effect.sync(isFree), Effect.interrupt))).catch(() => null)
    assert.isTrue(isFree())
    assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
  })

  it("lets effects of one process in one at a time", async () => {
    let inside = 0
    const critical = Effect.gen(function*() {
      inside++
      assert.strictEqual(inside, 1)
      yield* Effect.yieldNow
      inside--
    })
    await Effect.runPromise(
      Effect.all(Array.from({ length: 8 }, () => withFileLock(file, critical)), { concurrency: "unbounded" })
    )
    assert.strictEqual(inside, 0)
  })

  it("is free at once when its holder was killed, even if that left a child behind", async () => {
    const { child, process: held } = await holder(true)
    assert.isFalse(isFree())
    await kill(held)
    assert.isTrue(isFree())
    process.kill(child, 0)
    process.kill(child, "SIGKILL")
  })

  it("waits for a living holder, and continues when it dies", async () => {
    const { process: held } = await holder()
    const waiting = locked(Effect.succeed("in"))
    assert.isFalse(isFree())
    await kill(held)
    assert.strictEqual(await waiting, "in")
  })

  it("gives up after ten seconds of waiting, even if the system clock stops or goes back", async () => {
    await holder()
    for (const step of [0, -86_400_000]) {
      let now = 1_000_000_000_000
      const slept: Array<number> = []
      const clock: Clock.Clock = {
        currentTimeMillisUnsafe: () => now += step,
        currentTimeMillis: Effect.sync(() => now += step),
        currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
        currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
        monotonicTimeNanosUnsafe: () => 0n,
        monotonicTimeNanos: Effect.succeed(0n),
        // A hundredth of the time, by a timer.
        sleep: (duration) =>
          Effect.callback((resume) => {
            slept.push(Duration.toMillis(duration))
            const timer = setTimeout(() => resume(Effect.void), Duration.toMillis(duration) / 100)
            return Effect.sync(() => clearTimeout(timer))
          })
      }
      const waited = await outcome(withFileLock(file, Effect.void).pipe(Effect.provideService(Clock.Clock, clock)))
      assert.deepInclude(waited, { _tag: "LockFailed", reason: { _tag: "LockHeld", seconds: 10 } })
      assert.include(slept, 10_000)
      for (const pause of slept) assert.isTrue(pause === 10_000 || (pause >= 2 && pause <= 20), String(pause))
    }
  })

  it("is not released before its effect ends, nor left behind by an interruption at any moment", async () => {
    for (let turn = 0; turn < 30; turn++) {
      await Effect.runPromise(Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(withFileLock(file, Effect.never), { startImmediately: true })
        for (let i = 0; i < turn; i++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      }))
      assert.isTrue(isFree())
    }
  })

  it("can be interrupted while it waits", async () => {
    await holder()
    await Effect.runPromise(Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(withFileLock(file, Effect.void), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
    }))
    assert.isFalse(isFree())
  })

  it("locks the file with that name now, not one that was deleted meanwhile", async () => {
    await holder()
    fs.rmSync(file)
    assert.isFalse(await locked(Effect.sync(isFree)))
    assert.isTrue(isFree())
  })

  it("says what is wrong if the directory is missing", async () =>
    assert.deepInclude(await outcome(withFileLock(path.join(root, "absent", "lock"), Effect.void)), {
      _tag: "LockFailed"
    }))
})

describe("networkFileSystem", () => {
  it("names the files that must not be written, and no others", () => {
    const [nfs, cifs, smb2, smb, plan9] = [0x6969, 0xff534d42, 0xfe534d42, 0x517b, 0x01021997]
    const [ext4, xfs, btrfs, tmpfs, overlay] = [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630]
    assert.deepStrictEqual([nfs, cifs, smb2, smb, plan9].map(networkFileSystem), ["NFS", "CIFS", "SMB2", "SMB", "9p"])
    assert.strictEqual(networkFileSystem(cifs | 0), "CIFS")
    for (const type of [ext4, xfs, btrfs, tmpfs, overlay]) assert.isNull(networkFileSystem(type))
  })
})

describe("one try", () => {
  const open: Array<number> = []

  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), "ooda-trylock-"))
  })

  afterEach(() => {
    for (const fd of open.splice(0)) fs.closeSync(fd)
    fs.rmSync(root, { recursive: true, force: true })
  })

  const tried = (name = "lock"): number | null => {
    const fd = tryLock(path.join(root, name), process.env)
    if (fd !== null) open.push(fd)
    return fd
  }

  describe("a lock", () => {
    it("is for one file: another one is free", () => {
      assert.isNotNull(tried())
      assert.isNotNull(tried("other"))
    })

    it("leaves no descriptor behind if another process holds it", () => {
      const count = () => fs.readdirSync("/proc/self/fd").length
      assert.isNotNull(tried())
      const before = count()
      for (let i = 0; i < 5; i++) assert.isNull(tried())
      assert.strictEqual(count(), before)
    })

    it("in a missing directory fails with the system's error", () =>
      assert.throws(() => tryLock(path.join(root, "none", "lock"), process.env), /ENOENT/))
  })
})
