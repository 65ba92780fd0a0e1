// fleet: what a fleet costs and what it stands, on private servers with fsync.
// Words: PART [RUNS]; without a part, each of them with 100 runs.
import { append } from "./fleet/append.ts"
import { runs } from "./fleet/runs.ts"
import { takeover } from "./fleet/takeover.ts"
import { waiting } from "./fleet/waiting.ts"

const [part = "all", count = part === "all" ? "100" : "1000"] = process.argv.slice(2)
const pulls = Number(count)
// Milliseconds: 1,000 runs have six minutes where a worker dies every two seconds, and 15 where one dies each second.
const limit = (minutes: number): number => Math.max(60_000, (pulls / 1000) * minutes * 60_000)

const parts: Readonly<Record<string, () => Promise<void>>> = {
  append,
  waiting,
  takeover,
  runs: () => runs({ pulls, every: 2000, by: "SIGKILL", crashes: 0, limit: limit(6) }),
  "runs-each-second": () => runs({ pulls, every: 1000, by: "SIGKILL", crashes: 0, limit: limit(15) }),
  crashing: () => runs({ pulls, every: 2000, by: "SIGKILL", crashes: 2, limit: limit(6) }),
  "crashes-alone": () => runs({ pulls, every: 500, by: null, crashes: 2, limit: limit(6), again: 1 }),
  stopping: () => runs({ pulls, every: 2000, by: "SIGSTOP", crashes: 2, limit: limit(15) })
}

const asked = part === "all" ? Object.keys(parts) : [part]
if (!asked.every((one) => one in parts) || !Number.isInteger(pulls) || pulls < 1) {
  console.error(
    `fleet: PART is one of ${Object.keys(parts).join(", ")} and RUNS a count [npm run bench:fleet -- runs 100]`
  )
  process.exit(64)
}
for (const one of asked) {
  console.log(`== ${one}`)
  await parts[one]?.()
}
