// VitrineRender
