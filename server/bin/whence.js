#!/usr/bin/env node
// Stands in the repository, so that npm can link it before there is a build.
'use strict';
require('./check-node.js');
require('./run.js');
