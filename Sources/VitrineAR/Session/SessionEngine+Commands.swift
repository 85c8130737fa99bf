import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which kind of tracking a configuration asks for.
struct TrackingMethod: Equatable {
    let isWorld: Bool
    let tracking: ARTracking
}

extension SessionEngine {
    /// Does what the app asked for, in the order in which it asked. What comes after something that fails is kept for the next run.
    func apply(_ commands: [SessionCommand]) async throws(ARError) {
        var removed = Set<UUID>()
        for (index, command) in commands.enumerated() {
            // Removals in a row are done at once: each looks at all anchors.
            if case .remove(let identifier) = command {
                removed.insert(identifier)
                continue
            }
            remove(&removed)
            do throws(ARError) {
                try await apply(command)
            } catch {
                shared.putBack(commands[(index + 1)...])
                throw error
            }
        }
        remove(&removed)
    }

    private func apply(_ command: SessionCommand) async throws(ARError) {
        switch command {
        case .run(let configuration, let options): try await begin(configuration, options)
        case .add(let anchor): world.store.put(anchor)
        case .remove(let identifier): world.store.remove([identifier])
        case .moveOrigin(let worldFromOrigin):
            world.moveOrigin(worldFromOrigin)
            shared.moveRaycasts(by: worldFromOrigin.inverse)
        }
    }

    private func remove(_ identifiers: inout Set<UUID>) {
        guard !identifiers.isEmpty else { return }
        world.store.remove(identifiers)
        understanding.forget(identifiers)
        identifiers = []
    }

    private func begin(_ configuration: any ARConfiguration, _ options: ARSession.RunOptions) async throws(ARError) {
        guard configuration.isSupported(by: source.rig) else { throw .unsupported(configuration) }
        let method = TrackingMethod(isWorld: configuration is ARWorldTrackingConfiguration, tracking: configuration.tracking)
        let isNew = self.method != method
        let tracker = isNew ? try makeTracker(method) : self.tracker
        let map = (configuration as? ARWorldTrackingConfiguration)?.initialWorldMap
        let hasNewMap = try isToBeFound(map, by: tracker)
        (self.method, self.tracker, initialMap) = (method, tracker, map)
        let isRewound = try await rewindAtEnd()
        if isNew || isRewound || hasNewMap || options.contains(.resetTracking) { resetTracking() }
        if options.contains(.removeExistingAnchors) {
            world.store.removeAll()
            understanding.reset()
        }
        understanding.configure(configuration)
        pacer = Pacer()
    }

    /// - Returns: whether the source begins again.
    private func rewindAtEnd() async throws(ARError) -> Bool {
        guard isAtEnd else { return false }
        do {
            try await source.rewind()
        } catch {
            throw ARError(.sensorUnavailable, "\(error)")
        }
        (isAtEnd, isInterrupted, held, untold, lastTime, lastTimestamp) = (false, false, nil, nil, -.infinity, -.infinity)
        return true
    }

    private func makeTracker(_ method: TrackingMethod) throws(ARError) -> SessionTracker {
        switch method.tracking {
        case .custom(let maker): return .tracker(maker.make(source.rig))
        case .recorded: return .recorded
        case .visual(let scale):
            guard scale.isPlausible else { throw .impossible(scale) }
            return .tracker(VisualTracker(rig: source.rig, settings: .init(scale: scale)))
        case .automatic:
            if method.isWorld {
                return .tracker(source.rig.hasInertialUnit ? VisualInertialTracker(rig: source.rig) : VisualTracker(rig: source.rig))
            }
            guard source.rig.hasInertialUnit else { throw .noTracker("a device without an inertial unit") }
            return .tracker(OrientationTracker(rig: source.rig))
        }
    }
}
