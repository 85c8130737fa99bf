extension Scene {
    /// Advances time by `seconds`: animations, then actions, move their nodes. Constraints and world transforms follow with `update()`.
    ///
    /// A `SceneView` calls it before each frame. Deterministic; actions and clips have the same state after any number
    /// of steps of the same sum. Negative steps and NaN count as 0.
    public func advance(by seconds: Double) {
        let seconds = seconds > 0 && seconds.isFinite ? seconds : 0
        time += seconds
        mixer.advance(by: seconds)
        store.advanceActions(by: seconds)
    }

    /// Lets time pass up to `time`, seconds since the scene was made. Time does not run backwards.
    public func advance(to time: Double) { advance(by: time - self.time) }

    /// Whether the next step changes something by itself: clips play or actions run.
    public var isMoving: Bool { mixer.isMoving || store.isActing }

    /// Called when the scene starts to move (an action or a clip starts while nothing else runs) and when `pointOfView` is set: a view that
    /// draws on demand draws its next frame.
    public var onActivity: (() -> Void)? {
        get { store.onActivity }
        set { store.onActivity = newValue }
    }
}
