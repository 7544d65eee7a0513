import { parseTime } from '../../ports/index.ts'

/** `2026-11-16T03:09:44Z` with or without a fraction: how vCenter writes every time. */
const vcenterTime = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,3})\d*)?Z$/

/** Milliseconds since 1970; undefined for what is no time, or the zero time that some write for "never". */
export function timeOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '' || text.startsWith('0001-')) return undefined
  const [, year, month, day, hour, minute, second, fraction = ''] = vcenterTime.exec(text) ?? []
  // The 29th and later need a calendar; all others are reckoned here, because a listing has one for each VM.
  if (day === undefined || Number(day) > 28 || Number(day) < 1 || Number(month) > 12 || Number(month) < 1) return carefully(text)
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return carefully(text)
  const seconds =
    ((daysSince1970(Number(year), Number(month), Number(day)) * 24 + Number(hour)) * 60 + Number(minute)) * 60 + Number(second)
  return seconds * 1000 + Number(fraction.padEnd(3, '0'))
}

function carefully(text: string): number | undefined {
  try {
    return parseTime(text)
  } catch {
    return undefined
  }
}

/** Days from 1970 to a day of the Gregorian calendar. Years begin in March here, so that the leap day is the last. */
function daysSince1970(year: number, month: number, day: number): number {
  const marchYear = month < 3 ? year - 1 : year
  const marchMonth = month < 3 ? month + 9 : month - 3
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400)
  const daysBeforeMonth = Math.floor((153 * marchMonth + 2) / 5)
  return marchYear * 365 + leapDays + daysBeforeMonth + day - 1 - 719_468
}
