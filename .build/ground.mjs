// What every file of the program begins with (bundle.mjs): what each command needs.
import '../build/src/main.js';
