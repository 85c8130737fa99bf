extension ParticleSettings {
    /// Throws `ParticleError` for the first field that is out of range.
    func validate() throws(ParticleError) {
        try Self.require((1...Self.maximumCount).contains(count), "count", "must be 1 to \(Self.maximumCount)")
        try Self.require((1...8).contains(colors.count), "colors", "must be 1 to 8")
        try Self.require((1...8).contains(stages.count), "stages", "must be 1 to 8")
        try Self.require(radius.lowerBound >= 0 && radius.upperBound <= 4096, "radius", "must lie between 0 and 4096")
        try Self.require(lifetime >= 1 && lifetime <= 1e6, "lifetime", "must be 1 to 1,000,000 ticks")
        try Self.require(captureDistance >= 0 && captureDistance <= 1e6, "captureDistance", "must be 0 to 1,000,000")
        try Self.require(ticksPerSecond > 0 && ticksPerSecond <= 1000, "ticksPerSecond", "must lie above 0 and not above 1000")
        try Self.require(abs(velocity.x) <= 1e6 && abs(velocity.y) <= 1e6, "velocity", "must be numbers up to 1,000,000")
        var last: Float = 0
        for stage in stages {
            try Self.require(stage.age >= last && stage.age <= 1, "stages", "must have ages that rise from 0 to 1")
            try Self.require(stage.size >= 0 && stage.size <= 100, "stages", "must have sizes from 0 to 100")
            last = stage.age
        }
    }

    private static func require(_ holds: Bool, _ name: String, _ reason: String) throws(ParticleError) {
        if !holds { throw .invalidSetting(name: name, reason: reason) }
    }
}
