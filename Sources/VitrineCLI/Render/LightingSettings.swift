import Vitrine

/// The lights and shadows that the command line adds to a model.
struct LightingSettings {
    var lights: [LightChoice] = []
    /// Whether the model's own lights cast shadows.
    var castsShadows = false
    /// Whether to add a shadow receiver under the model.
    var hasGround = false
}

/// A light around the model that points at its centre.
struct LightChoice: Equatable {
    enum Kind: String, CaseIterable {
        case directional, point, spot, rectangle, disc
    }

    var kind: Kind
    /// Degrees, as for `--orbit`.
    var azimuth: Float = 40
    var elevation: Float = 50
    /// Metres from the centre; nil for 2.5 times the radius of the model.
    var distance: Float?
    /// The intensity in the unit of the kind; nil for 3 lux at the centre.
    var intensity: Float?
    /// The angular diameter of a directional light in degrees (nil for 2), or the radius of a point or spot light in metres (nil for 1 % of
    /// the distance).
    var size: Float?
    /// The half angle of a spot light's cone in degrees; nil to fit the model.
    var angle: Float?
    /// The width of a rectangle or the diameter of a disc in metres; nil for the width of the model.
    var width: Float?
    /// The height of a rectangle in metres; nil for its width.
    var height: Float?
    var color = Color.white
    /// The colour temperature in kelvin.
    var temperature: Float?
    var castsShadow = true
}

extension LightingSettings {
    static var section: OptionSection<LightingSettings> {
        OptionSection(
            "light",
            [
                CommandOption(
                    "--light", value: "KIND,KEY=X,…",
                    help:
                        "Adds a light that points at the model. KIND: directional, point, spot, rectangle or disc. Keys: azimuth, elevation (degrees), distance (metres), intensity (lux, candela or nits), size (degrees or metres; softens shadows), angle (of a spot, degrees), width, height (metres), color (#RRGGBB), temperature (kelvin), shadow (yes or no). Repeatable."
                ) { (settings, text) throws(UsageError) in settings.lights.append(try LightChoice(parsing: text)) },
                CommandOption("--shadows", help: "Lets the lights of the model cast shadows. Lights of --light always do.") {
                    $0.castsShadows = true
                },
                CommandOption(
                    "--ground",
                    help: "Adds a shadow receiver under the model: a floor that shows only shadows, including those of the environment."
                ) { $0.hasGround = true },
            ])
    }

    /// Adds the lights and the shadow receiver.
    func apply(to scene: Scene, _ bounds: BoundingBox) {
        if castsShadows { scene.rootNode.forSubtree { $0.light?.castsShadow = true } }
        for (index, light) in lights.enumerated() { scene.rootNode.addChildNode(light.node(around: bounds, name: "light \(index)")) }
        if hasGround { scene.rootNode.addChildNode(.shadowReceiver(under: bounds)) }
    }
}

extension LightChoice {
    init(parsing text: String) throws(UsageError) {
        let pieces = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        self.init(kind: try parseWord(pieces[0], Kind.allCases.map { ($0.rawValue, $0) }))
        for piece in pieces.dropFirst() {
            guard let equals = piece.firstIndex(of: "=") else { throw UsageError("'\(piece)' is not KEY=VALUE") }
            let key = String(piece[..<equals])
            try set(key, String(piece[piece.index(after: equals)...]))
            if let kinds = Self.kinds(ofKey: key), !kinds.contains(kind) {
                throw UsageError("a \(kind.rawValue) light has no '\(key)'")
            }
        }
    }

    /// The kinds that have a key; nil for all.
    private static func kinds(ofKey key: String) -> [Kind]? {
        switch key {
        case "distance": [.point, .spot, .rectangle, .disc]
        case "size": [.directional, .point, .spot]
        case "angle": [.spot]
        case "width": [.rectangle, .disc]
        case "height": [.rectangle]
        default: nil
        }
    }

    private mutating func set(_ key: String, _ text: String) throws(UsageError) {
        switch key {
        case "azimuth": azimuth = try parseNumber(text)
        case "elevation": elevation = try parseNumber(text, in: -90...90)
        case "distance": distance = try parseNumber(text, in: 1e-6...1e9)
        case "intensity": intensity = try parseNumber(text, in: 0...1e12)
        case "size": size = try parseNumber(text, in: 0...1e6)
        case "angle": angle = try parseNumber(text, in: 0.1...90)
        case "width": width = try parseNumber(text, in: 1e-6...1e6)
        case "height": height = try parseNumber(text, in: 1e-6...1e6)
        case "color": color = try parseHexColor(text)
        case "temperature": temperature = try parseNumber(text, in: 1000...40_000)
        case "shadow": castsShadow = try parseWord(text, [("yes", true), ("no", false)])
        default:
            throw UsageError(
                "'\(key)' is not one of azimuth, elevation, distance, intensity, size, angle, width, height, color, temperature, shadow")
        }
    }

    /// A node with the light, around a model.
    func node(around bounds: BoundingBox, name: String) -> Node {
        let radius = max(bounds.radius, 1e-6)
        let distance = self.distance ?? radius * 2.5
        let pose = View.orbit(
            target: bounds.center, azimuth: .degrees(azimuth), elevation: .degrees(elevation), distance: distance)
        let node = Node(name: name)
        node.transform = pose.worldFromCamera
        node.light = light(distance: distance, radius: radius)
        return node
    }

    private func light(distance: Float, radius: Float) -> Light {
        let lux: Float = 3
        let width = self.width ?? radius * 2
        let height = self.height ?? width
        var (kind, unit): (Light.Kind, Float)
        switch self.kind {
        case .directional: (kind, unit) = (.directional, lux)
        case .point: (kind, unit) = (.point, lux * distance * distance)
        case .spot:
            let outer = angle.map { Angle.degrees($0) } ?? .radians(atan2(radius * 1.3, distance))
            (kind, unit) = (.spot(inner: outer * 0.8, outer: outer), lux * distance * distance)
        case .rectangle: (kind, unit) = (.rectangle(width: width, height: height), lux * distance * distance / (width * height))
        case .disc: (kind, unit) = (.disc(radius: width / 2), lux * distance * distance / (width * width * .pi / 4))
        }
        var light = Light(kind, color: color, intensity: intensity ?? unit, temperature: temperature, castsShadow: castsShadow)
        light.radius = size ?? distance * 0.01
        light.angularDiameter = .degrees(size ?? 2)
        return light
    }
}
