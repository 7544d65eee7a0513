/**
 * How many cores a socket must have for a VM to get so many CPUs: vCenter refuses a number that does not fill all sockets. As many of
 * those that it has as will do; undefined if they may stay as they are.
 */
export function coresPerSocket(cpus: number | undefined, now: number): number | undefined {
  if (cpus === undefined || now <= 1 || cpus % now === 0) return undefined
  return greatestCommonDivisor(cpus, now)
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other)
}
