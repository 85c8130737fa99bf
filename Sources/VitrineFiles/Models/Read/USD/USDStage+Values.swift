extension USDStage {
    /// What the strongest layer that says something says about an attribute.
    struct Opinion {
        /// Not over time.
        let value: USDField?
        /// In seconds from the stage's start, rising.
        let samples: [(time: Double, value: USDField)]
        let site: Site

        /// As it is at the start.
        var start: USDField? {
            guard !samples.isEmpty else { return value }
            return (samples.last { $0.time <= 0 } ?? samples[0]).value
        }
    }

    /// nil where nothing is said, or the value is blocked.
    func opinion(_ prim: Int, _ name: String) -> Opinion? {
        for site in prims[prim].sites {
            guard let fields = site.spec.properties[name]?.fields else { continue }
            if case .samples(let samples)? = fields["timeSamples"], !samples.isEmpty {
                let found = samples.filter { !$0.value.isBlocked }
                let times = found.map { (seconds(site.offset.apply($0.time)), $0.value) }
                return times.isEmpty ? nil : Opinion(value: fields["default"], samples: times, site: site)
            }
            if let value = fields["default"] { return value.isBlocked ? nil : Opinion(value: value, samples: [], site: site) }
        }
        return nil
    }

    func seconds(_ timeCode: Double) -> Double { (timeCode - (startTime ?? 0)) / timeCodesPerSecond }

    /// An attribute's value; of one that changes over time the first one, which a warning says.
    mutating func value(_ prim: Int, _ name: String) -> USDField? {
        guard let opinion = opinion(prim, name) else { return nil }
        if opinion.samples.count > 1 {
            warn("values over time are not read here: shown as at the start", at: prims[prim].path + "." + name)
        }
        return opinion.start
    }

    /// The same without a warning.
    func start(_ prim: Int, _ name: String) -> USDField? { opinion(prim, name)?.start }

    /// Where a relationship points, or an attribute is connected to: paths of the stage.
    func targets(_ prim: Int, _ name: String, field: String = "targetPaths") -> [String] {
        var result: [String] = []
        for site in prims[prim].sites.reversed() {
            guard case .paths(let edits)? = site.spec.properties[name]?.fields[field] else { continue }
            // What the stage doesn't see falls out.
            let mapped = edits.map { site.node.stagePath($0) ?? "" }
            result = mapped.applied(to: result).filter { !$0.isEmpty }
        }
        return result
    }

    func connections(_ prim: Int, _ name: String) -> [String] { targets(prim, name, field: "connectionPaths") }

    /// The first prim that a relationship points to.
    func target(_ prim: Int, _ name: String) -> Int? {
        targets(prim, name).lazy.compactMap { primOfPath[USDPath.split($0).prim] }.first
    }

    /// The same relationship of the prim or, where it has none, of the nearest prim above.
    func inheritedTarget(_ prim: Int, _ name: String) -> Int? {
        var current: Int? = prim
        while let index = current {
            if let target = target(index, name) { return target }
            current = prims[index].parent
        }
        return nil
    }
}
