/** How long the simulated hour of the controller runtime takes, first in a young process and then again, as one line. */
import { run } from '../control/simulated-hour.ts'

const first = await run()
const second = await run()
console.log(JSON.stringify({ first: first.milliseconds / 1000, seconds: second.milliseconds / 1000 }))
