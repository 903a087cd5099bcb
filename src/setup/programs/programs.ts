import { closest } from '../../core/text/closest.js';
import { wordMissing } from '../../core/usage-failures.js';
import { programUnknown, wordsSwapped } from '../failures.js';
import { accessPrograms } from './access-programs.js';
import { claude, codex } from './agents.js';
import { bridgePrograms } from './bridge-programs.js';
import { pastedPrograms } from './pasted-programs.js';
import type { Program } from './program.js';

/** Every program whose configuration is known here. */
export const programs: readonly Program[] = [claude, codex, ...bridgePrograms, ...accessPrograms, ...pastedPrograms];

/** Its commands and its title: `code`, `visual-studio-code`, `claude-code`. */
function otherNames({ commands, title }: Program): readonly string[] {
  return [...commands, title.toLowerCase().replaceAll(' ', '-')];
}

/** The program of that name. @param other The word after it, which may be the program where both were swapped. @throws Failure `program_unknown`, `word_missing` */
export function programNamed(name: string | undefined, other?: string): Program {
  if (name === undefined) throw wordMissing('postern setup needs a program that is to use the login.', 'setup');
  const names = programs.map((program) => program.name);
  const called = (word = '') => {
    const lower = word.toLowerCase();
    return programs.find((one) => one.name === lower) ?? programs.find((one) => otherNames(one).includes(lower));
  };
  const program = called(name);
  const swapped = called(other);
  if (program === undefined && swapped !== undefined) throw wordsSwapped(name, swapped.name);
  if (program === undefined) throw programUnknown(name, closest(name, names));
  return program;
}
