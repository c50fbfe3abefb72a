-- wrk: GET requests in random order, keys in rotation. Arguments: file of targets, file of keys, seed.
-- A line of the first file is a target, and header fields after tabs.
-- Random because the server has an LRU cache: addresses in order would never hit it.
local targets, fields, keys = {}, {}, {}
local turn = 0

function init(args)
  for line in io.lines(args[1]) do
    local target, rest = line:match('^(%S+)(.*)$')
    targets[#targets + 1] = target
    fields[#fields + 1] = rest:gsub('\t', '\r\n')
  end
  for line in io.lines(args[2]) do keys[#keys + 1] = line end
  math.randomseed(tonumber(args[3]))
end

function request()
  turn = turn % #keys + 1
  local i = math.random(#targets)
  return 'GET ' .. targets[i] .. ' HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ' .. keys[turn] .. fields[i] .. '\r\n\r\n'
end
