import VitrineMath

/// A `<sampler>`: values over time.
struct AnimationCurve {
    enum Shape { case step, linear, bezier, hermite, cardinal }

    /// The times of the keys in seconds, strictly increasing.
    let times: [Float]
    /// The values, `width` per key.
    let values: [Float]
    let width: Int
    /// The interpolation from each key to the next.
    let shapes: [Shape]
    /// Two numbers (time, value) for each value of a key; empty if the file has none.
    let inTangents, outTangents: [SIMD2<Float>]

    /// Returns a component of the value at a time, constant before the first key and after the last.
    func value(_ component: Int, at time: Float) -> Float {
        let last = times.count - 1
        guard time > times[0] else { return key(0, component) }
        guard time < times[last] else { return key(last, component) }
        let index = segment(at: time)
        let (start, end) = (times[index], times[index + 1])
        let (a, b) = (key(index, component), key(index + 1, component))
        let t = (time - start) / (end - start)
        switch shapes[index] {
        case .step: return a
        case .linear: return mix(a, b, t)
        case .cardinal:
            let before = index > 0 ? key(index - 1, component) : a
            let after = index + 2 <= last ? key(index + 2, component) : b
            return Self.hermite(a, b, (b - before) / 2, (after - a) / 2, t)
        case .hermite:
            guard let out = tangent(outTangents, index, component), let incoming = tangent(inTangents, index + 1, component) else {
                return mix(a, b, t)
            }
            // Vectors of time and value; the time determines the parameter.
            let s = Self.parameter(t) {
                Self.hermite(start, end, out.x, incoming.x, $0)
            } reaching: {
                time
            }
            return Self.hermite(a, b, out.y, incoming.y, s)
        case .bezier:
            guard var out = tangent(outTangents, index, component), var incoming = tangent(inTangents, index + 1, component) else {
                return mix(a, b, t)
            }
            // Handles outside the segment would make time run backwards.
            out.x = clamp(out.x, start, end)
            incoming.x = clamp(incoming.x, start, end)
            let s = Self.parameter(t) {
                Self.bezier(start, out.x, incoming.x, end, $0)
            } reaching: {
                time
            }
            return Self.bezier(a, out.y, incoming.y, b, s)
        }
    }

    /// Returns the index of the key at or before a time between the first and the last key.
    func segment(at time: Float) -> Int {
        var (low, high) = (0, times.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if times[middle] > time { high = middle } else { low = middle }
        }
        return low
    }

    func key(_ index: Int, _ component: Int) -> Float { values[index * width + min(component, width - 1)] }

    private func tangent(_ list: [SIMD2<Float>], _ key: Int, _ component: Int) -> SIMD2<Float>? {
        let index = key * width + min(component, width - 1)
        return index < list.count ? list[index] : nil
    }

    private static func bezier(_ a: Float, _ b: Float, _ c: Float, _ d: Float, _ s: Float) -> Float {
        let r = 1 - s
        return r * r * r * a + 3 * r * r * s * b + 3 * r * s * s * c + s * s * s * d
    }

    private static func hermite(_ a: Float, _ b: Float, _ out: Float, _ incoming: Float, _ s: Float) -> Float {
        let (s2, s3) = (s * s, s * s * s)
        return (2 * s3 - 3 * s2 + 1) * a + (s3 - 2 * s2 + s) * out + (3 * s2 - 2 * s3) * b + (s3 - s2) * incoming
    }

    /// Returns the parameter at which an increasing function reaches a value, by bisection up to single precision.
    private static func parameter(_ guess: Float, _ function: (Float) -> Float, reaching value: () -> Float) -> Float {
        let goal = value()
        if abs(function(guess) - goal) <= 1e-7 * max(1, abs(goal)) { return guess }
        var (low, high): (Float, Float) = (0, 1)
        for _ in 0..<24 {
            let middle = (low + high) / 2
            if function(middle) < goal { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}

extension COLLADAStreams {
    /// Reads a sampler; returns nil, with a warning, if it has no keys.
    func readCurve(_ sampler: XMLElement) throws(ModelFileError) -> AnimationCurve? {
        let inputs = try self.inputs(sampler)
        guard let input = inputs.first(where: { $0.semantic == "INPUT" }), let output = inputs.first(where: { $0.semantic == "OUTPUT" })
        else {
            files.warn(sampler, "the sampler has no INPUT or no OUTPUT")
            return nil
        }
        let (times, outputs) = (try stream(input.source), try stream(output.source))
        let count = min(times.count, outputs.count)
        guard count > 0, times.width == 1 else {
            files.warn(sampler, "the sampler has no keys")
            return nil
        }
        // Skip keys whose time does not increase.
        var kept: [Int] = []
        for index in 0..<count where kept.last.map({ times.values[index] > times.values[$0] }) ?? true { kept.append(index) }
        if kept.count < count { files.warn(sampler, "\(count - kept.count) keys whose times do not increase were omitted") }
        let width = outputs.width
        func tangents(_ semantic: String) throws(ModelFileError) -> [SIMD2<Float>] {
            guard let source = inputs.first(where: { $0.semantic == semantic })?.source else { return [] }
            return Self.tangents(try stream(source), kept, times, outputs, isIn: semantic == "IN_TANGENT")
        }
        return AnimationCurve(
            times: kept.map { times.values[$0] }, values: kept.flatMap { outputs.values[$0 * width..<($0 + 1) * width] }, width: width,
            shapes: try shapes(inputs, sampler, kept), inTangents: try tangents("IN_TANGENT"), outTangents: try tangents("OUT_TANGENT"))
    }

    private func shapes(_ inputs: [StreamInput], _ sampler: XMLElement, _ kept: [Int]) throws(ModelFileError) -> [AnimationCurve.Shape] {
        guard let source = inputs.first(where: { $0.semantic == "INTERPOLATION" })?.source else { return kept.map { _ in .linear } }
        let words = try names(source)
        return kept.map { index in
            switch index < words.count ? words[index] : words.last ?? "LINEAR" {
            case "LINEAR": return .linear
            case "STEP": return .step
            case "BEZIER": return .bezier
            case "HERMITE": return .hermite
            case "CARDINAL": return .cardinal
            case let other:
                files.warn(sampler, "interpolation \(other.prefix(40)) is replaced by LINEAR")
                return .linear
            }
        }
    }

    /// Tangents have two numbers per value, or one time for all values of a key, or, from some programs, only values: the time is then a third of the
    /// distance to the next key.
    private static func tangents(_ stream: Stream, _ kept: [Int], _ times: Stream, _ outputs: Stream, isIn: Bool) -> [SIMD2<Float>] {
        let width = outputs.width
        var result: [SIMD2<Float>] = []
        for index in kept where index < stream.count {
            let base = index * stream.width
            for component in 0..<width {
                if stream.width == 2 * width {
                    result.append(SIMD2(stream.values[base + 2 * component], stream.values[base + 2 * component + 1]))
                } else if stream.width == width + 1 {
                    result.append(SIMD2(stream.values[base], stream.values[base + 1 + component]))
                } else if stream.width == width {
                    let here = times.values[index]
                    let other = index + (isIn ? -1 : 1)
                    let there = other >= 0 && other < times.count ? times.values[other] : here
                    result.append(SIMD2(here + (there - here) / 3, stream.values[base + component]))
                } else {
                    return []
                }
            }
        }
        return result
    }
}
