import VitrineScene

/// An animation of the file, its targets by node index.
struct GLTFAnimation {
    let name: String
    let channels: [Channel]

    struct Channel {
        let json: JSONValue
        let node: Int
        let target: AnimationTarget
        let sampler: Sampler
    }

    struct Sampler {
        let interpolation: Interpolation
        let times: [Float]
        let values: [Float]
    }
}

extension GLTFImporter {
    func readAnimations() throws(GLTFError) {
        for json in animationList {
            let samplerList = try JSONList(json, "samplers")
            var samplers: [GLTFAnimation.Sampler] = []
            for sampler in samplerList { samplers.append(try self.sampler(sampler)) }
            var channels: [GLTFAnimation.Channel] = []
            for channel in try JSONList(json, "channels") {
                if let channel = try self.channel(channel, samplers) { channels.append(channel) }
            }
            animations.append(GLTFAnimation(name: try json.string("name") ?? "", channels: channels))
        }
    }

    private func sampler(_ json: JSONValue) throws(GLTFError) -> GLTFAnimation.Sampler {
        let input = try json.requireIndex("input", below: accessors.count)
        let output = try json.requireIndex("output", below: accessors.count)
        guard accessors[input].shape == .scalar, accessors[input].type == .float32 else {
            throw json.failure("input", "the accessor must be SCALAR of floats")
        }
        let (times, values, interpolation) = (try floats(input), try floats(output), try interpolation(json))
        try spend(times.count, at: json)
        if let first = times.first, first < 0 { warn(json, "starts before time 0") }
        let accessor = accessors[input].json
        if accessor["min"] == nil || accessor["max"] == nil { warn(accessor, "the times of an animation must have min and max") }
        if interpolation == .cubic, times.count < 2 { warn(json, "CUBICSPLINE needs at least 2 keys, there is \(times.count)") }
        return rising(GLTFAnimation.Sampler(interpolation: interpolation, times: times, values: values), json)
    }

    /// Leaves out the keys that don't come after the one before, with a warning.
    private func rising(_ sampler: GLTFAnimation.Sampler, _ json: JSONValue) -> GLTFAnimation.Sampler {
        let times = sampler.times
        var (kept, last): ([Int], Float?) = ([], nil)
        for index in times.indices {
            if let last, times[index] <= last { continue }
            kept.append(index)
            last = times[index]
        }
        // The channel refuses a count of values that doesn't fit the keys.
        guard kept.count < times.count, sampler.values.count % times.count == 0 else { return sampler }
        warn(
            json["input"] ?? json,
            "\(times.count - kept.count) of \(times.count) times don't come after the time before; their keys were left out")
        let width = sampler.values.count / times.count
        return GLTFAnimation.Sampler(
            interpolation: sampler.interpolation, times: kept.map { times[$0] },
            values: kept.flatMap { sampler.values[$0 * width..<($0 + 1) * width] })
    }

    private func interpolation(_ json: JSONValue) throws(GLTFError) -> Interpolation {
        switch try json.string("interpolation") {
        case nil, "LINEAR": return .linear
        case "STEP": return .step
        case "CUBICSPLINE": return .cubic
        default: throw json.failure("interpolation", "must be LINEAR, STEP or CUBICSPLINE")
        }
    }

    /// nil for a channel whose target is left to an extension, or is not known.
    private func channel(_ json: JSONValue, _ samplers: [GLTFAnimation.Sampler]) throws(GLTFError) -> GLTFAnimation.Channel? {
        let sampler = samplers[try json.requireIndex("sampler", below: samplers.count)]
        guard let targetJSON = try json.object("target") else { throw json.failure("target", "is missing") }
        guard let path = try targetJSON.string("path") else { throw targetJSON.failure("path", "is missing") }
        guard let node = try targetJSON.index("node", below: nodes.count) else {
            warn(targetJSON, "names no node; the channel was ignored")
            return nil
        }
        let target: AnimationTarget
        switch path {
        case "translation": target = .translation
        case "rotation": target = .rotation
        case "scale": target = .scale
        case "weights": target = .morphWeights
        default:
            warn(targetJSON, "animation of \(path) is not supported; the channel was ignored")
            return nil
        }
        let width = try componentCount(target, node: node, at: targetJSON)
        let perKey = sampler.interpolation == .cubic ? 3 : 1
        let (expected, overflow) = (sampler.times.count * perKey).multipliedReportingOverflow(by: width)
        guard !overflow, sampler.values.count == expected else {
            throw json.failure("sampler", "\(sampler.values.count) values for \(sampler.times.count) keys of \(width * perKey)")
        }
        if target != .morphWeights, case .matrix = nodes[node].placement { warn(targetJSON, "the animated node has a matrix") }
        return GLTFAnimation.Channel(json: json, node: node, target: target, sampler: sampler)
    }

    private func componentCount(_ target: AnimationTarget, node: Int, at json: JSONValue) throws(GLTFError) -> Int {
        switch target {
        case .translation, .scale: return 3
        case .rotation: return 4
        case .morphWeights:
            guard let mesh = nodes[node].mesh, meshes[mesh].morphTargetCount > 0 else {
                throw json.failure("node", "has no morph targets")
            }
            return meshes[mesh].morphTargetCount
        }
    }
}
