/** controller.ts OBJECTS: how many objects a second the controller of three steps takes through them, as one line. */
import { run } from '../control/three-steps.ts'

const { objectsPerSecond, cpuMicroseconds } = await run({ objects: Number(process.argv[2]) })
console.log(JSON.stringify({ perSecond: objectsPerSecond, cpuMicroseconds }))
