import VitrineTracking

/// Orders the samples of a camera and an IMU as in a recording: inertial samples up to the first at or after an image, then the image.
struct LiveEventQueue {
    private var waiting: [InertialSample] = []
    private var image: CameraSample?
    private var hasReachedImage = false

    var isEmpty: Bool { image == nil }

    /// Adds an image and the inertial samples before it.
    ///
    /// - Parameter samples: The samples since the last image, with increasing times.
    mutating func add(_ image: CameraSample, after samples: [InertialSample]) {
        waiting += samples
        self.image = image
    }

    mutating func next() -> SensorEvent? {
        guard let image else { return nil }
        if let sample = waiting.first, !hasReachedImage {
            hasReachedImage = sample.time >= image.time
            waiting.removeFirst()
            return .inertial(sample)
        }
        self.image = nil
        hasReachedImage = false
        return .image(image)
    }
}
