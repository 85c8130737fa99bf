import Vitrine

/// Cameras on rings around a model: with random variations of height, distance and aim, like hand-held photos, or in front of a turntable.
struct PhotosetCameras {
    /// The number of photos.
    var count: Int
    /// The elevation of each ring in degrees.
    var elevations: [Float]
    /// The model, metres.
    var bounds: BoundingBox
    /// The vertical field of view.
    var fieldOfView: Angle
    /// The photos' width / height.
    var aspectRatio: Float
    /// Whether the model turns in front of a camera at rest: once for each ring, with the light at rest beside the camera.
    var isTurntable = false
    var seed: UInt64

    struct Shot {
        var view: View
        /// The exposure error in stops.
        var exposure: Float
        /// The rotation of the light about +Y.
        var lightAzimuth = Angle(radians: 0)
    }

    private var radius: Float { max(bounds.radius, 1e-6) }

    /// The model fills most of the smaller side, as in typical photos.
    private var reach: Float {
        let halfAngle = min(fieldOfView.radians / 2, atan2(tan(fieldOfView.radians / 2) * aspectRatio, 1))
        return 0.86 * radius / sin(halfAngle)
    }

    func shots(exposureDrift: Float) -> [Shot] {
        var random = SplitMix64(seed: seed)
        return isTurntable ? turntableShots(exposureDrift, &random) : handHeldShots(exposureDrift, &random)
    }

    /// Ring after ring.
    private func turntableShots(_ exposureDrift: Float, _ random: inout SplitMix64) -> [Shot] {
        (0..<count).map { index in
            let ring = index * elevations.count / count
            let first = (ring * count + elevations.count - 1) / elevations.count
            let photos = ((ring + 1) * count + elevations.count - 1) / elevations.count - first
            let azimuth = Angle(radians: 2 * Float.pi * Float(index - first) / Float(photos))
            let view = View.orbit(
                target: bounds.center, azimuth: azimuth, elevation: .degrees(elevations[ring]), distance: reach, fieldOfView: fieldOfView,
                near: 0.05 * radius)
            return Shot(view: view, exposure: exposureDrift * random.signed(), lightAzimuth: azimuth)
        }
    }

    /// Alternates between the rings; together they go around the model once.
    private func handHeldShots(_ exposureDrift: Float, _ random: inout SplitMix64) -> [Shot] {
        var shots: [Shot] = []
        for index in 0..<count {
            let azimuth = Angle(radians: 2 * Float.pi * Float(index) / Float(count) + 0.05 * random.signed())
            let elevation = Angle.degrees(elevations[index % elevations.count] + 4 * random.signed())
            let aim = bounds.center + Vector3(random.signed(), random.signed(), random.signed()) * (0.05 * radius)
            let distance = reach * (1 + 0.08 * random.signed())
            let view = View.orbit(
                target: aim, azimuth: azimuth, elevation: elevation, distance: distance, fieldOfView: fieldOfView, near: 0.05 * radius)
            let tilt = Quaternion(angle: .degrees(2 * random.signed()), axis: Vector3(0, 0, 1))
            let roll = Transform(translation: Vector3(0, 0, 0), rotation: tilt).matrix
            let exposure = exposureDrift * random.signed()
            shots.append(Shot(view: View(camera: view.camera, worldFromCamera: view.worldFromCamera * roll), exposure: exposure))
        }
        return shots
    }
}

extension SplitMix64 {
    /// Returns a random number in −1…1.
    mutating func signed() -> Float { Float(next() >> 40) * (2 / 16_777_216) - 1 }
    /// Approximately normal with standard deviation 1: the sum of four uniform values.
    mutating func normal() -> Float { (signed() + signed() + signed() + signed()) * 0.866_025_4 }
}
