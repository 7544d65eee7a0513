/** Go's way to write a length of time, without what nobody means in a spec (signs, nanoseconds): `90s`, `1h30m`. */
export const durationPattern = '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$'
