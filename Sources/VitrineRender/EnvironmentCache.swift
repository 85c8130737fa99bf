import VitrineGPU
import VitrineScene

/// A scene's environment on the GPU.
struct EnvironmentLight {
    let map: EnvironmentMap
    /// The visible background where it is another picture.
    let sky: EnvironmentMap?
    /// Whether `map` gives any light.
    let isLit: Bool
    let hasSky: Bool
}

/// Prefiltered environments by picture.
final class EnvironmentCache {
    private final class Entry {
        var image: Image
        let map: EnvironmentMap
        /// Made when shadows first need them.
        var shadowLights: EnvironmentShadowLights?
        init(_ image: Image, _ map: EnvironmentMap) { (self.image, self.map) = (image, map) }
    }

    private let device: GPUDevice
    private let black: EnvironmentMap
    private var prefilter: EnvironmentPrefilter?
    private var lights: [ObjectIdentifier: Entry] = [:]
    private var skies: [ObjectIdentifier: Entry] = [:]

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        black = try EnvironmentMap.black(on: device)
    }

    var memory: Int {
        var sum = 0
        for entry in lights.values { sum += entry.map.memoryBytes }
        for entry in skies.values { sum += entry.map.memoryBytes }
        return sum
    }

    func light(of environment: Environment) throws(RenderError) -> EnvironmentLight {
        var map = black
        if let image = environment.image { map = try light(image) }
        var sky: EnvironmentMap?
        var hasSky = false
        switch environment.background {
        case .transparent, .color: break
        case .environment: hasSky = environment.image != nil
        case .image(let image):
            hasSky = true
            if image !== environment.image { sky = try self.sky(image) }
        }
        return EnvironmentLight(map: map, sky: sky, isLit: environment.image != nil, hasSky: hasSky)
    }

    /// Where an environment's light comes from, for its shadows; its map is known already.
    func shadowLights(of image: Image) -> EnvironmentShadowLights {
        let entry = lights[ObjectIdentifier(image)]
        if let known = entry?.shadowLights { return known }
        let made = EnvironmentShadowLights(image, count: Renderer.environmentShadowCount)
        entry?.shadowLights = made
        return made
    }

    func purge() {
        for id in Array(lights.keys) { if let entry = lights[id], isKnownUniquelyReferenced(&entry.image) { lights[id] = nil } }
        for id in Array(skies.keys) { if let entry = skies[id], isKnownUniquelyReferenced(&entry.image) { skies[id] = nil } }
    }

    private func light(_ image: Image) throws(RenderError) -> EnvironmentMap {
        if let known = lights[ObjectIdentifier(image)] { return known.map }
        let made = try make { (prefilter) throws(EnvironmentError) in try prefilter.makeMap(from: image) }
        lights[ObjectIdentifier(image)] = Entry(image, made)
        return made
    }

    private func sky(_ image: Image) throws(RenderError) -> EnvironmentMap {
        if let known = skies[ObjectIdentifier(image)] { return known.map }
        let made = try make { (prefilter) throws(EnvironmentError) in try prefilter.makeSky(from: image) }
        skies[ObjectIdentifier(image)] = Entry(image, made)
        return made
    }

    private func make(
        _ body: (EnvironmentPrefilter) throws(EnvironmentError) -> EnvironmentMap
    ) throws(RenderError) -> EnvironmentMap {
        let prefilter: EnvironmentPrefilter
        if let known = self.prefilter {
            prefilter = known
        } else {
            prefilter = try attempting("preparing environments") { () throws(GPUError) in try EnvironmentPrefilter(device: device) }
            self.prefilter = prefilter
        }
        do throws(EnvironmentError) { return try body(prefilter) } catch { throw .environment(error) }
    }
}
