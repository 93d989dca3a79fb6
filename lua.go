package ratelimit

// scriptHash is the SHA-1 of script in hex, the name by which EVALSHA calls it.
const scriptHash = "204896ba1e43912252b312e9080236ca5ebc99ed"

// script decides the requests of a flight. It uses only what Redis 6.2 and Valkey know, and what Lua 5.1 to 5.4 share.
// Numbers are whole and below 2^53; they are written by format('%d', n), since tostring and .. keep 14 digits.
const script = `-- Decides requests in arrival order, each against all limits of its source, all or nothing.
--
-- KEYS     per request: the hash of its windows and buckets (none if every limit is a log), then a list per sliding log
-- ARGV[1]  per limit 7 words: name, tag, capacity (units), horizon (µs), and the time of one token of a bucket:
--          whole (µs), rest (1/scale µs), scale
-- ARGV[2]  per request its cost (units, 0 to 1000)
-- ARGV[3]  now (µs since the epoch) in tests; '' asks Redis' clock
-- Returns  one string: rl2 and an array in JSON of now (µs), the number of requests; then per request either
--          "Redis' words", escaped, when it could not be read or written; or per limit
--          remaining (units), reset, next, retry (µs); retry is 0 when it allows, and 2^53 when it denies for good:
--          the cost exceeds the capacity
-- Writes   what a charge changes and nothing else, always with a TTL: one field of the hash per window and bucket,
--          entries of the lists
-- Go twin  decide, takeWindow, takeLog, takeBucket

local unpack = table.unpack or unpack
local call, format, match = redis.pcall, string.format, string.match
local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max

-- the instant that an entry of a list is, else nil: no entry, no number, or later than it can be
local function instant(entry, latest)
  local n = type(entry) == 'string' and match(entry, '^%d+$') and tonumber(entry)
  return n and n <= latest and n or nil
end

-- the words with which Redis refused a call, else nil; Redis 6 puts "@user_script: 12: -" before them
local function refusal(reply)
  if type(reply) ~= 'table' or not reply.err then return nil end
  return match(string.gsub(reply.err, '^@?user_script: ?%d+: %-?', ''), '^(.-)%s*$')
end

-- Go twin: takeWindow. stored is start and count
local window = {}

function window.look(l, stored, now)
  local start, used = now - now % l.horizon, 0
  local stop = start + l.horizon
  local at, count = match(stored, '^(%d+) (%d+)$')
  at = tonumber(at)
  if at and at >= start and at <= now + l.horizon then
    used = tonumber(count)
    if at > now then start, stop = at, at + l.horizon end
  end
  return {left = max(0, l.capacity - used), used = used, start = start, stop = stop}
end

function window.charge(l, s, now, cost)
  s.left, s.used = s.left - cost, s.used + cost
end

function window.stored(l, s)
  return format('%d %d', s.start, s.used)
end

function window.waits(l, s, now)
  local reset = s.stop - now
  return reset, s.left < l.capacity and reset or 0
end

function window.retry(l, s, now)
  return s.stop - now
end

-- Go twin: takeBucket. stored is units, at, parts, scale
local bucket = {}

-- how long after s.at the bucket has gained k tokens: whole µs, and parts
local function due(l, s, k)
  local x = k * l.rest + s.parts
  local parts = x % l.scale
  return k * l.whole + floor((x - parts) / l.scale), parts
end

local function dueUp(l, s, k)
  local after, parts = due(l, s, k)
  return parts > 0 and after + 1 or after
end

-- how many whole tokens it gains in d, at most most: a guess in floats, put right by due
local function tokensIn(l, s, d, most)
  local guess = (d - s.parts / l.scale) / (l.whole + l.rest / l.scale)
  local k = floor(max(0, min(guess, most)))
  while k > 0 and dueUp(l, s, k) > d do k = k - 1 end
  while k < most and dueUp(l, s, k + 1) <= d do k = k + 1 end
  return k
end

function bucket.look(l, stored, now)
  local full = {left = l.capacity, at = now, parts = 0}
  local units, at, parts, scale = match(stored, '^(%d+) (%d+) (%d+) (%d+)$')
  if not units then return full end
  local s = {left = tonumber(units), at = tonumber(at), parts = tonumber(parts)}
  if s.parts >= tonumber(scale) then return full end
  if tonumber(scale) ~= l.scale then s.at, s.parts = s.at + 1, 0 end
  if s.at > now + l.horizon then return full end
  if now > s.at and s.left < l.capacity then
    local k = tokensIn(l, s, now - s.at, l.capacity - s.left)
    local after, rest = due(l, s, k)
    s.left, s.at, s.parts = s.left + k, s.at + after, rest
  end
  return s.left < l.capacity and s or full
end

function bucket.charge(l, s, now, cost)
  s.left = s.left - cost
end

function bucket.stored(l, s)
  return format('%d %d %d %d', s.left, s.at, s.parts, l.scale)
end

function bucket.waits(l, s, now)
  if s.left == l.capacity then return 0, 0 end
  return s.at + dueUp(l, s, l.capacity - s.left) - now, s.at + dueUp(l, s, 1) - now
end

function bucket.retry(l, s, now, cost)
  return s.at + dueUp(l, s, cost - s.left) - now
end

-- Go twin: takeLog. The list holds one instant per unit, oldest first; the last fresh ones are not in it yet
local log = {}

-- the state, or nil and Redis' words
function log.look(l, key, now)
  local s = {left = l.capacity, key = key, used = 0, fresh = 0}
  local last = call('LINDEX', key, -1)
  if not last then return s end
  local words = refusal(last)
  if words then return nil, words end
  s.exists, last = true, instant(last, now + l.horizon)
  if not last then return s end
  local size = call('LLEN', key)
  words = refusal(size)
  if words then return nil, words end

  -- the first entry that counts is in [low, high]; steps that double find it fast near the front
  local low, high, step = max(0, size - l.capacity), size - 1, 1
  local before, oldest = max(now, last) - l.horizon, last
  if last <= before then return s end
  while low < high do
    local probe = min(low + step - 1, floor((low + high) / 2))
    local entry = instant(call('LINDEX', key, probe), last)
    if not entry then return s end
    if entry > before then
      high, oldest = probe, entry
    else
      low, step = probe + 1, step * 2
    end
  end
  s.first, s.used, s.oldest, s.newest = low, size - low, oldest, last
  s.left = l.capacity - s.used
  return s
end

function log.charge(l, s, now, cost)
  s.used, s.left, s.fresh = s.used + cost, s.left - cost, s.fresh + cost
  s.newest = max(now, s.newest or now)
  s.oldest = s.oldest or s.newest
end

-- nil, or Redis' words; what was written to is noted in written
function log.write(l, s, now, grace, written)
  local words
  if s.exists and not s.first then
    words = refusal(call('DEL', s.key)) -- nothing in it counts
  elseif s.exists and s.first > 0 then
    words = refusal(call('LTRIM', s.key, s.first, -1))
  end
  if words then return words end
  local chunk, entry, rest = {}, format('%d', s.newest), s.fresh
  for i = 1, min(rest, 250) do chunk[i] = entry end
  while rest > 0 do
    local n = min(rest, 250)
    words = refusal(call('RPUSH', s.key, unpack(chunk, 1, n)))
    if words then return words end
    written[s.key] = true
    rest = rest - n
  end
  return refusal(call('PEXPIRE', s.key, format('%d', ceil((s.newest + l.horizon - now) / 1000) + grace)))
end

function log.waits(l, s, now)
  if s.used == 0 then return 0, 0 end
  return s.newest + l.horizon - now, s.oldest + l.horizon - now
end

function log.retry(l, s, now, cost)
  local place, entry = s.used + cost - l.capacity - 1, nil
  if place < s.used - s.fresh then entry = instant(call('LINDEX', s.key, s.first + place), s.newest) end
  return max(1, (entry or s.newest) + l.horizon - now)
end

-- the limits, and where in a request's keys and in its hash each finds its state
local limits, fields, logs = {}, {}, 0
local algorithms = {fw1 = window, tb1 = bucket, sl1 = log}
for name, tag, capacity, horizon, rate, rest, scale in
    string.gmatch(ARGV[1], '(%S+) (%S+) (%d+) (%d+) (%d+) (%d+) (%d+)') do
  local l = {algorithm = algorithms[tag], capacity = tonumber(capacity), horizon = tonumber(horizon),
    whole = tonumber(rate), rest = tonumber(rest), scale = tonumber(scale)}
  if tag == 'sl1' then
    logs = logs + 1
    l.list = logs
  else
    fields[#fields + 1] = name .. ':' .. tag
    l.field = #fields
  end
  limits[#limits + 1] = l
end
local hashes = #fields > 0 and 1 or 0

local now, words, grace = tonumber(ARGV[3]), nil, 1000
if now then
  grace = grace + 3600000
else
  local time = call('TIME')
  words = refusal(time)
  now = words and 0 or tonumber(time[1]) * 1000000 + tonumber(time[2])
end

-- the states of all limits for the request whose keys begin after base, or nil and Redis' words
local function look(base)
  local states, stored = {}, nil
  if hashes > 0 then
    stored = call('HMGET', KEYS[base + 1], unpack(fields))
    local words = refusal(stored)
    if words then return nil, words end
  end
  for i, l in ipairs(limits) do
    if l.list then
      local s, words = log.look(l, KEYS[base + hashes + l.list], now)
      if not s then return nil, words end
      states[i] = s
    else
      local text = stored[l.field] or ''
      states[i] = l.algorithm.look(l, #text < 70 and text or '', now) -- four numbers of 16 digits at most
    end
  end
  return states
end

-- writes the windows and buckets; nil, or Redis' words. The hash lives as long as any of its fields, foreign ones too
local function writeHash(key, states, written)
  local set, ttl = {}, 0
  for i, l in ipairs(limits) do
    if l.field then
      set[#set + 1] = fields[l.field]
      set[#set + 1] = l.algorithm.stored(l, states[i])
      ttl = max(ttl, ceil(l.algorithm.waits(l, states[i], now) / 1000) + grace)
    end
  end
  local left = call('PTTL', key)
  local words = refusal(left) or refusal(call('HSET', key, unpack(set)))
  if words then return words end
  written[key] = true
  return refusal(call('PEXPIRE', key, format('%d', max(ttl, left))))
end

-- writes what a source was charged or, when Redis refuses, nothing; nil, or Redis' words
local function write(source)
  local written, words = {}, nil
  if hashes > 0 then words = writeHash(KEYS[source.base + 1], source.states, written) end
  for i, l in ipairs(limits) do
    if l.list and not words then words = log.write(l, source.states[i], now, grace, written) end
  end
  if words then
    -- half a charge, or a key that nothing expires, would be worse than a source forgotten
    for key in pairs(written) do call('DEL', key) end
  end
  return words
end

-- the sources of this call by their first key, and in the order of their first requests. A source is read once and written
-- once, however many requests it has
local sources, order = {}, {}

local function sourceAt(base)
  local source = sources[KEYS[base + 1]]
  if not source then
    source = {base = base, places = {}, charged = false}
    source.states, source.words = look(base)
    sources[KEYS[base + 1]] = source
    order[#order + 1] = source
  end
  return source
end

-- the verdicts on one request, which is charged to what is known of its source
local function decide(states, cost, source)
  local allowed = true
  for i = 1, #limits do
    allowed = allowed and cost <= states[i].left
  end
  if allowed and cost > 0 then
    for i, l in ipairs(limits) do l.algorithm.charge(l, states[i], now, cost) end
    source.charged = true
  end
  local verdicts
  for i, l in ipairs(limits) do
    local s = states[i]
    local reset, grows = l.algorithm.waits(l, s, now)
    local retry = 0
    if not allowed and cost > s.left then
      retry = cost > l.capacity and 2^53 or max(1, l.algorithm.retry(l, s, now, cost))
    end
    local verdict = format('%d,%d,%d,%d', s.left, reset, grows, retry)
    verdicts = verdicts and verdicts .. ',' .. verdict or verdict
  end
  return verdicts
end

local function escaped(words)
  return '"' .. string.gsub(words, '%W', function(c) return format('%%%02X', string.byte(c)) end) .. '"'
end

local reply, stride = {}, hashes + logs
for cost in string.gmatch(ARGV[2], '%d+') do
  local place = #reply + 1
  local source = not words and sourceAt((place - 1) * stride)
  if source and source.states then
    source.places[#source.places + 1] = place
    reply[place] = decide(source.states, tonumber(cost), source)
  else
    reply[place] = escaped(words or source.words)
  end
end
for _, source in ipairs(order) do
  local refused = source.charged and write(source)
  if refused then
    for _, place in ipairs(source.places) do reply[place] = escaped(refused) end
  end
end
return format('rl2 [%d,%d,', now, #reply) .. table.concat(reply, ',') .. ']'
`
