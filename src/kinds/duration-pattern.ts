/** Go's way to write a length of time, without the signs that nobody means in a spec: `90s`, `1h30m`. */
export const durationPattern = '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$'
