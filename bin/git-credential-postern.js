#!/usr/bin/env node
'use strict';

// What git looks for on the PATH with `credential.helper=postern`.
process.argv.splice(2, 0, 'credential', 'git');
require('./postern.js');
