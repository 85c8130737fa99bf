import VitrineVision

/// An Industrial I/O device with a gyroscope, an accelerometer, or both.
struct InertialSensor: Sendable {
    /// "iio:device0".
    let identifier: String
    /// The driver's name: "icm42600-gyro".
    let name: String
    let folder: AttributeFolder
    let gyroscope, accelerometer: InertialAxes?

    var kinds: [InertialAxes.Kind] { (gyroscope == nil ? [] : [.anglvel]) + (accelerometer == nil ? [] : [.accel]) }

    /// The sensors of a device; empty for other devices.
    static func kinds(in folder: AttributeFolder) -> [InertialAxes.Kind] {
        InertialAxes.Kind.allCases.filter { kind in
            folder.exists(kind.name(0) + "_raw") || folder.exists("scan_elements/\(kind.name(0))_en")
                || folder.exists("buffer0/\(kind.name(0))_en")
        }
    }

    /// - Parameter wanted: The sensors to read.
    init(_ identifier: String, in folder: AttributeFolder, _ wanted: [InertialAxes.Kind]) throws(SourceError) {
        (self.identifier, self.folder) = (identifier, folder)
        name = folder.optional("name") ?? identifier
        gyroscope = wanted.contains(.anglvel) ? try InertialAxes(.anglvel, in: folder) : nil
        accelerometer = wanted.contains(.accel) ? try InertialAxes(.accel, in: folder) : nil
    }

    func axes(_ kind: InertialAxes.Kind) -> InertialAxes? { kind == .anglvel ? gyroscope : accelerometer }

    // MARK: Sampling rate

    /// Requests at least `rate` readings per second, or the highest rate.
    ///
    /// - Returns: The actual rate; nil if unknown.
    func setRate(_ rate: Double) -> Double? {
        var result: Double?
        for prefix in kinds.map({ "in_\($0.rawValue)_" }) + [""] {
            let name = prefix + "sampling_frequency"
            guard folder.exists(name) else { continue }
            let wanted = Self.choice(folder.optional(name + "_available"), rate)
            try? folder.write(Self.text(wanted ?? rate), to: name)
            if let now = try? folder.number(name), now > 0 { result = max(result ?? 0, now) }
        }
        return result
    }

    private static func text(_ rate: Double) -> String { rate == rate.rounded() ? "\(Int(rate))" : "\(rate)" }

    /// The lowest sufficient rate of a list, else the highest; or the rate clamped to a range `[minimum step maximum]`.
    static func choice(_ available: String?, _ rate: Double) -> Double? {
        guard let available else { return nil }
        let numbers = available.split(whereSeparator: { " []".contains($0) }).compactMap { NumberText.double(Array($0.utf8)[...]) }
            .filter { $0 > 0 && $0 < 1e5 }
        if available.hasPrefix("["), numbers.count == 3 { return min(max(rate, numbers[0]), numbers[2]) }
        return numbers.filter { $0 >= rate }.min() ?? numbers.max()
    }
}
