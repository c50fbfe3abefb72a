-- wrk: GET /v1/ip/{ip}, random addresses, keys in rotation. Arguments: file of addresses, file of keys, seed.
-- Random because the server has an LRU cache: addresses in order would never hit it.
local addresses, keys = {}, {}
local turn = 0

function init(args)
  for line in io.lines(args[1]) do addresses[#addresses + 1] = line end
  for line in io.lines(args[2]) do keys[#keys + 1] = line end
  math.randomseed(tonumber(args[3]))
end

function request()
  turn = turn % #keys + 1
  return 'GET /v1/ip/' .. addresses[math.random(#addresses)] .. ' HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ' .. keys[turn] .. '\r\n\r\n'
end
