// eventReader: a program of its own that reads one event from its standard input, and prints it as JSON.
import { eventInput } from "../../../src/platform/EventInput.ts"

const isWhole = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
const text = await eventInput(isWhole, Number(process.argv[2]))
process.stdout.write(JSON.stringify(text))
process.exit(0)
