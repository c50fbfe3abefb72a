-- wrk: a mix of requests: 80 % lookups, 10 % with their sources, 5 % networks, 3 % batches of 100, 2 % errors (an invalid
-- address and an unknown path in turn). Arguments: files of addresses, of the key, of network numbers, of batches, seed.
local addresses, networks, batches = {}, {}, {}
local key
local count = 0

local function read(path, lines)
  for line in io.lines(path) do lines[#lines + 1] = line end
end

function init(args)
  read(args[1], addresses)
  key = io.lines(args[2])()
  read(args[3], networks)
  read(args[4], batches)
  math.randomseed(tonumber(args[5]))
end

local function get(path)
  return 'GET ' .. path .. ' HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ' .. key .. '\r\n\r\n'
end

local function post(body)
  return 'POST /v1/ip/batch HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ' .. key ..
    '\r\nContent-Type: application/json\r\nContent-Length: ' .. #body .. '\r\n\r\n' .. body
end

local function pick(lines)
  return lines[math.random(#lines)]
end

-- 37 and 100 have no common divisor, so every hundred requests have each kind as often as it should be, spread out.
function request()
  count = count + 1
  local kind = count * 37 % 100
  if kind < 80 then return get('/v1/ip/' .. pick(addresses)) end
  if kind < 90 then return get('/v1/ip/' .. pick(addresses) .. '?explain=true') end
  if kind < 95 then return get('/v1/asn/' .. pick(networks)) end
  if kind < 98 then return post(pick(batches)) end
  if kind == 98 then return get('/v1/ip/8.8.8') end
  return get('/v1/nothing')
end
