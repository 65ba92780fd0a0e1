// clock: preloaded into a program (NODE_OPTIONS=--import), it gives it another time of day.
// Only the time of day moves, as when somebody sets the machine's clock; timers run on undisturbed.
//
// Other processes, and the times that the kernel writes on files, keep the true time.
//
// CLOCK_SHIFT  how far off the clock is from the beginning, in milliseconds
// CLOCK_JUMP   by how many milliseconds more it is off ...
// CLOCK_AFTER  ... when it has been asked this often
const { CLOCK_AFTER = "Infinity", CLOCK_JUMP = "0", CLOCK_SHIFT = "0" } = process.env
const RealDate = Date
let asked = 0

const now = () => {
  asked++
  return RealDate.now() + Number(CLOCK_SHIFT) + (asked > Number(CLOCK_AFTER) ? Number(CLOCK_JUMP) : 0)
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args) => args.length === 0 ? new target(now()) : Reflect.construct(target, args),
  get: (target, name) => name === "now" ? now : Reflect.get(target, name)
})
