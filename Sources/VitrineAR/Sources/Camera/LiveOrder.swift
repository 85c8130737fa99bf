import VitrineTracking

/// Brings what a camera and an IMU tell at the same time into the order of a recording: samples up to the first that reaches a picture, then the picture.
struct LiveOrder {
    private var waiting: [InertialSample] = []
    private var picture: CameraSample?

    /// Whether there is nothing left to tell.
    var isEmpty: Bool { picture == nil }

    /// - Parameter samples: those since the last picture, rising.
    mutating func take(_ picture: CameraSample, after samples: [InertialSample]) {
        waiting += samples
        self.picture = picture
    }

    mutating func next() -> SensorEvent? {
        guard let picture else { return nil }
        if let sample = waiting.first, !hasReached {
            hasReached = sample.time >= picture.time
            waiting.removeFirst()
            return .inertial(sample)
        }
        self.picture = nil
        hasReached = false
        return .picture(picture)
    }

    private var hasReached = false
}
