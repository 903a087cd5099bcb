import { clampDelay } from './time-limit.js';

export interface PatientTimer {
  /** Begins the whole time anew, if it still runs. */
  restart(): void;
  stop(): void;
}

/** A timer that goes off so late tells that this process was paused, or the machine asleep. */
const pausedMs = 1_000;
/** An answer that came meanwhile has this long to be read: it may hold a refresh token, which is not given twice. */
const graceMs = 5_000;

/** Calls `late` after so many milliseconds, of which those are not counted in which this process could not run. */
export function patientTimer(milliseconds: number, late: () => void): PatientTimer {
  const delay = clampDelay(milliseconds);
  let due = performance.now() + delay;
  let timer = setTimeout(expire, delay);
  function expire(): void {
    if (performance.now() - due < pausedMs) late();
    else timer = setTimeout(late, graceMs);
  }
  return {
    restart: () => {
      due = performance.now() + delay;
      timer.refresh();
    },
    stop: () => clearTimeout(timer),
  };
}
